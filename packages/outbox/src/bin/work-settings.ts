import type { OutboxOptions } from '../outbox-options.ts';

/** What sends: a client for this address, or one that a module exports. */
export type Sender =
  | { readonly baseUrl: string; readonly apiKey: string; readonly allowInsecureHttp: boolean }
  | { readonly file: string };

/** How `work` works. */
export interface WorkSettings {
  readonly sender: Sender;
  readonly outbox: Pick<
    OutboxOptions,
    | 'concurrency'
    | 'localConcurrency'
    | 'rate'
    | 'onUnknown'
    | 'onRejected'
    | 'maxRetryDelayMs'
    | 'keepSettledMs'
  >;
  readonly graceMs: number;
  /** Where health and metrics are served; undefined for nowhere. */
  readonly listen: ListenAt | undefined;
}

/** Where a server listens. */
export interface ListenAt {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}
