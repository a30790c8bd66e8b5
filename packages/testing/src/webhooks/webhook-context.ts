import type { LookupFunction } from 'node:net';
import type { OrderUpdate } from '@orders/schema';

/** What webhooks need to know of the service that sends them. */
export interface WebhookContext {
  /** The order meant where none is named. */
  readonly token: string;
  find(token: string): { readonly token: string; readonly data: Readonly<Partial<OrderUpdate>> } | undefined;
  now(): number;
  /** Aborts when the service closes, which ends attempts and waits at once. */
  readonly signal: AbortSignal;
  /** How many deliveries `sent` keeps; the oldest go first. @default Infinity */
  readonly historyLimit?: number;
  /** Resolves names. @default the `lookup` of `node:dns` */
  readonly lookup?: LookupFunction;
}
