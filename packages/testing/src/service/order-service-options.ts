import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import type { ServiceChoices } from './choices.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import type { JournalEntry } from './journal.ts';
import type { KeyType, ServiceKey } from './key-ring.ts';
import type { SeedOrder } from './order-book.ts';

/** How an order service is made; every option may be left out. */
export interface OrderServiceOptions<Update extends OrderUpdate = OrderUpdate> {
  /** Keys to take: a list, or a map of key to key type. @default one `SalesChannelApiKey` made at random */
  readonly keys?: readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>>;
  /** How many orders to make with random tokens, or the orders and tokens themselves. @default 3 */
  readonly orders?: number | readonly (string | SeedOrder<Update>)[];
  /** What a body must satisfy; make it with `defineOrderUpdate` to name what the document leaves unnamed. @default OrderUpdate */
  readonly schema?: OrderUpdateSchema<Update>;
  /** What the document does not show: statuses, answers, error bodies, the merge of an update. @default the README's table */
  readonly choices?: ServiceChoices<Update>;
  /** Largest body taken, in bytes; a larger one is answered with 413 and not kept. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** How long each answer is held back, in milliseconds; an update is applied before the wait. @default 0 */
  readonly latencyMs?: number;
  /** What goes wrong from the start, as `faults.add` takes it. @default nothing */
  readonly faults?: readonly FaultRule[];
  /** How webhooks are sent. @default the payload of the README, three attempts, to this machine only */
  readonly webhooks?: WebhookOptions;
  /**
   * Whether programs in other languages may script faults, read the ledger and send webhooks at `/_control`, with any
   * key of the service. @default false
   */
  readonly control?: boolean;
  /** How many entries ledger, journal and `webhooks.sent` each keep; the oldest go first. @default Infinity */
  readonly historyLimit?: number;
  /** The service's clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Called once with each request: just before its answer leaves, or when it ends without one. @default nothing is called */
  readonly onRequest?: (entry: JournalEntry) => void;
}

/** The names of these options; the type keeps the list complete. */
export const orderServiceOptions: Readonly<Record<keyof OrderServiceOptions, true>> = {
  keys: true,
  orders: true,
  schema: true,
  choices: true,
  maxBodyBytes: true,
  latencyMs: true,
  faults: true,
  webhooks: true,
  control: true,
  historyLimit: true,
  now: true,
  onRequest: true,
};

/** Where a service listens, beside how it is made. */
export interface StartOrderServiceOptions<Update extends OrderUpdate = OrderUpdate>
  extends OrderServiceOptions<Update> {
  /** TCP port; 0 lets the system choose a free one. @default 0 */
  readonly port?: number;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
}

/** What a service without a port is called, beside how it is made. */
export interface CreateOrderServiceOptions<Update extends OrderUpdate = OrderUpdate>
  extends OrderServiceOptions<Update> {
  /** Base URL that it answers for: an origin, without a path. @default 'https://orders.test' */
  readonly url?: string;
}
