import type { OrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import type { RejectedChoice, UnknownChoice } from './judge-result.ts';
import type { Rate } from './pace.ts';
import type { SettledUpdate } from './settled-update.ts';
import type { OutboxStore } from './store/outbox-store.ts';

/** An update whose outcome nobody knows, as `onUnknown` is asked about it. */
export interface UnknownUpdate {
  readonly id: string;
  readonly token: string;
  /** Times it was tried, this one among them. */
  readonly attempts: number;
  /** What went wrong: a code of the client, or `left_behind` when its process ended while it was being sent. */
  readonly code: string;
  readonly message: string;
}

/** Options of `createOutbox`. */
export interface OutboxOptions<Update extends OrderUpdate = OrderUpdate> {
  /** Checks updates and sends them. Its retries are not used: the outbox makes each attempt by itself. It stays open. */
  readonly client: Pick<OrdersClient<Update>, 'prepareUpdateOrder' | 'safeUpdateOrder'>;
  /** Where updates are kept: `postgresStore(…)` or `await pgliteStore(…)`. It closes with the outbox. */
  readonly store: OutboxStore;
  /**
   * Name of the database schema that holds the tables; those of pg-boss are in another, which ends in `_queue`.
   * @default 'orders_outbox'
   */
  readonly schema?: string;
  /**
   * What to do with an update whose outcome is unknown. The interface document does not say that an update may be
   * repeated, so it is parked for a decision, and its order waits. A function may look at the order and say what is true;
   * when it fails, or takes longer than a minute, the update is parked.
   * @default 'park'
   */
  readonly onUnknown?:
    | 'park'
    | 'resend'
    | ((update: UnknownUpdate) => UnknownChoice | Promise<UnknownChoice>);
  /**
   * Whether later updates of an order go on when the service refused one, or wait for a decision.
   * @default 'continue'
   */
  readonly onRejected?: RejectedChoice;
  /**
   * Whether a new update takes the place of those of its order that wait to be sent, or to be sent again.
   * @default false
   */
  readonly latestWins?: boolean;
  /**
   * Updates on their way at once, over all processes that share the database.
   * @default 32
   */
  readonly concurrency?: number;
  /**
   * Updates on their way at once in this process.
   * @default 32
   */
  readonly localConcurrency?: number;
  /**
   * How many updates may leave in a second, over all processes: give all of them the same.
   * @default unlimited
   */
  readonly rate?: Rate;
  /**
   * The longest wait before an update is sent again that could not be sent, in milliseconds.
   * @default 60_000
   */
  readonly maxRetryDelayMs?: number;
  /**
   * How long applied and discarded updates are kept, and all events, in milliseconds; other updates are kept until
   * they are decided.
   * @default 604_800_000 (7 days)
   */
  readonly keepSettledMs?: number;
  /**
   * Told what a person who runs the outbox should know, such as a database that went away; no key and no body.
   * @default process.emitWarning
   */
  readonly warn?: (message: string) => void;
  /**
   * Told what became of each update that this process worked on, once that is stored: for metrics. What it throws is
   * told to `warn`; it is not waited for.
   */
  readonly onSettled?: (settled: SettledUpdate) => void;
}
