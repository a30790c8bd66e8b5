import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { BulkRowState, BulkState } from '../contract/bulk-view.ts';
import type { StoredEvent } from '../contract/desk-event.ts';
import type { UpdateReport } from '../contract/update-report.ts';
import type { Decision, UpdateState } from '../contract/update-view.ts';

/** A moment: read as a `Date`, written as one or by the database's own clock. */
type Moment = ColumnType<Date, Date | undefined, Date>;
/** JSON of any shape: parsed when read, text when written. */
type Json = ColumnType<unknown, string, string>;

/** The tables of the desk. */
export interface Tables {
  readonly orders: OrdersTable;
  readonly drafts: DraftsTable;
  readonly updates: UpdatesTable;
  readonly events: EventsTable;
  readonly bulks: BulksTable;
  readonly bulk_rows: BulkRowsTable;
  readonly outbox_mirror: OutboxMirrorTable;
}

interface OrdersTable {
  /** Primary key. */
  token: string;
  /** The order in which orders became known. */
  position: Generated<number>;
  /** The update last applied, or what was known at first. */
  body: Json;
  webhook_secret: string;
  qr_session_id: string | null;
  qr_session_at: ColumnType<Date | null, Date | null, Date | null>;
}

interface DraftsTable {
  /** Primary key, and an order's. */
  token: string;
  form: Json;
  saved_at: Moment;
  /** Position of the order's last update when the draft was saved; 0 when there was none. */
  after_position: number;
}

export interface UpdatesTable {
  /** Primary key: a UUID. */
  id: string;
  /** The order of acceptance. */
  position: Generated<number>;
  token: string;
  body: Json;
  body_bytes: number;
  state: UpdateState;
  created_at: Moment;
  /** When bytes may first have left. */
  sending_at: ColumnType<Date | null, Date | null, Date | null>;
  settled_at: ColumnType<Date | null, Date | null, Date | null>;
  report: JSONColumnType<UpdateReport> | null;
  decision: Decision | null;
  repeats: string | null;
  /** Whether an outbox sends it, and not the desk's own client. */
  in_outbox: Generated<boolean>;
  /** How often it was sent off anew. */
  round: Generated<number>;
}

export interface EventsTable {
  seq: Generated<number>;
  at: Moment;
  token: string;
  update_id: string | null;
  kind: StoredEvent['kind'];
  event: JSONColumnType<StoredEvent>;
}

interface BulksTable {
  id: string;
  position: Generated<number>;
  name: string;
  created_at: Moment;
  state: BulkState;
  problem: string | null;
}

interface BulkRowsTable {
  bulk_id: string;
  /** From 1; the primary key together with `bulk_id`. */
  row: number;
  line: number;
  token: string;
  update: Json;
  issues: Json;
  state: BulkRowState;
  attempts: number | null;
  status: number | null;
}

interface OutboxMirrorTable {
  /** Primary key: the database schema of an outbox. */
  name: string;
  /** What the outbox changed up to here is mirrored. */
  cursor: string;
}
