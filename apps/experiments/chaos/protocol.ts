/** A command to a worker process, one line of JSON. */
export type Command =
  | { readonly kind: 'enqueue'; readonly id: string; readonly token: string; readonly step: number }
  | { readonly kind: 'decide'; readonly retry: readonly string[]; readonly resolve: readonly string[] }
  | { readonly kind: 'list' }
  | { readonly kind: 'counts' };

/** Its result, one for each command, in any sequence. */
export interface Result {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** What a worker process reads from its environment. */
export interface WorkerSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly engine: Engine;
  /** A connection string, or a folder. */
  readonly place: string;
}

export type Engine = 'postgres' | 'pglite';
