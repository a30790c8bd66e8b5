import type { Answer } from '../service/answer.ts';
import type { FaultScript } from '../service/faults/fault-script.ts';
import type { JournalEntry } from '../service/journal.ts';
import type { LedgerEntry, StoredOrder } from '../service/order-book.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** What the control API shows and changes; an `OrderService` is one. */
export interface ControlSources {
  readonly faults: FaultScript;
  readonly orders: readonly StoredOrder[];
  readonly ledger: readonly LedgerEntry[];
  readonly journal: readonly JournalEntry[];
  readonly webhooks: Webhooks;
  /** Puts everything back to how it began. */
  reset(): void;
}

/** A control request, once it is known which route it is for and that it is well formed. */
interface ControlCall {
  readonly sources: ControlSources;
  /** The segment of the path that the route leaves open, decoded; empty where it leaves none. */
  readonly id: string;
  /** The route's own parameters, each as far as it was given. */
  readonly query: Readonly<Partial<Record<string, string>>>;
  /** The JSON of the body; undefined where there was none. */
  readonly body: unknown;
}

/** One thing that the control API can be asked for. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the prefix; `<id>` stands for one segment. */
  readonly path: string;
  readonly does: string;
  /** Names of the parameters that the query may hold. */
  readonly query?: readonly string[];
  /** Whether a body may be left out. @default false */
  readonly isBodiless?: boolean;
  /** May throw a `ControlRefusal`. */
  answer(call: ControlCall): Answer | Promise<Answer>;
}
