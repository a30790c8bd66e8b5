import type { ReceiptData } from '@orders/client';
import type { Explanation } from '@orders/schema';

/**
 * How an update stands. `queued` waits; `sending` is stored before a byte leaves; `applied` and `discarded` are final.
 * Two wait for a decision: `rejected`, which the service did not take, and `parked`, of which nobody knows whether it did.
 */
export type UpdateState = 'queued' | 'sending' | 'applied' | 'rejected' | 'parked' | 'discarded';

/** An update of the outbox, without its body. */
export interface UpdateStatus {
  readonly id: string;
  readonly token: string;
  readonly state: UpdateState;
  /** Times it was tried: one that found no connection, and so sent nothing, counts too. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When it was last marked as being sent. */
  readonly sendingAt?: Date;
  /** When it came to its present end, or was parked. */
  readonly settledAt?: Date;
  /**
   * The client's code of what went wrong last, in an earlier try of an update that is queued or being sent; `left_behind`
   * when its process ended while it was being sent, `client_failed` when a client of your own threw; or why it was
   * discarded: `superseded`, or `decided` by a call of `discard`. What `onUnknown` chose leaves it as it is.
   */
  readonly code?: string;
  /** What went wrong last, in words; no key and no body. */
  readonly message?: string;
  /** The HTTP status of the last answer. */
  readonly status?: number;
  /** What the schema found, when the update was found wrong after it was accepted. */
  readonly issues?: readonly Explanation[];
  /** The client's receipt of the last try, as plain data; none where its process was gone before that ended. */
  readonly receipt?: ReceiptData;
}

/** A row of the table of updates, as far as a status needs it. */
export interface UpdateRow {
  readonly id: string;
  readonly token: string;
  readonly state: UpdateState;
  readonly attempts: number;
  readonly created_at: Date;
  readonly sending_at: Date | null;
  readonly settled_at: Date | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly status: number | null;
  readonly issues: string | null;
  readonly receipt: string | null;
}

/** The columns of an `UpdateRow`. */
export const statusColumns =
  'id, token, state, attempts, created_at, sending_at, settled_at, code, message, status, issues, receipt';

export function readStatus(row: UpdateRow): UpdateStatus {
  const { id, token, state, attempts } = row;
  return {
    id,
    token,
    state,
    attempts,
    // A pool of the caller's own may read times as texts.
    createdAt: new Date(row.created_at),
    ...(row.sending_at ? { sendingAt: new Date(row.sending_at) } : {}),
    ...(row.settled_at ? { settledAt: new Date(row.settled_at) } : {}),
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.status === null ? {} : { status: row.status }),
    ...(row.issues === null ? {} : { issues: JSON.parse(row.issues) }),
    ...(row.receipt === null ? {} : { receipt: JSON.parse(row.receipt) }),
  };
}

/** Whether a text can be the id of an update: the database refuses to look for anything else. */
export function isUpdateId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}
