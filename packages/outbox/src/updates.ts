import type { ReceiptData } from '@orders/client';
import type { Explanation } from '@orders/schema';

/**
 * The state of an update. `queued` waits; `sending` is stored before a byte leaves; `applied` and `discarded` are final.
 * Two wait for a person: `rejected`, which the service did not apply, and `needs_review`, whose outcome is unknown.
 */
export type UpdateState = 'queued' | 'sending' | 'applied' | 'rejected' | 'needs_review' | 'discarded';

/** Every state. */
export const updateStates: readonly UpdateState[] = [
  'queued',
  'sending',
  'applied',
  'rejected',
  'needs_review',
  'discarded',
];

/**
 * Why an update that is due is not being sent. `stalled` is the last resort: it has been due for 30 s, a worker had free
 * places all the time, and nothing else explains it.
 */
export type HeldReason =
  | 'paused'
  | 'service_unavailable'
  | 'key_refused'
  | 'behind_review'
  | 'locked_by_caller'
  | 'claim_expired'
  | 'unreadable'
  | 'no_worker'
  | 'backlog'
  | 'rate_limited'
  | 'backing_off'
  | 'behind_earlier'
  | 'database_unusable'
  | 'stalled';

/** What holds an update. */
export interface HeldBy {
  readonly reason: HeldReason;
  /** The update that waits for a person, or is before it. */
  readonly id?: string;
  /** When it is tried again. */
  readonly until?: Date;
  /** One sentence for a person. */
  readonly message: string;
}

/** An update of the outbox. */
export interface UpdateStatus {
  readonly id: string;
  readonly token: string;
  readonly state: UpdateState;
  /** How often it was tried, including attempts that found no connection. */
  readonly attempts: number;
  /** When it was accepted. */
  readonly createdAt: Date;
  /** When it was last marked as being sent. */
  readonly sendingAt?: Date;
  /** When it took its present state, unless it is queued or being sent. */
  readonly settledAt?: Date;
  /**
   * Why it failed last: a code of the client; `worker_lost` when its process ended or stalled while it was being sent; `restored` where it was open in a backup that was restored, or in a folder that was copied;
   * `client_failed` when a client of your own threw; `claim_expired` when its first byte could not leave within 3 s; `unreadable` when its row cannot be read; or why it was discarded:
   * `superseded` or `decided`.
   */
  readonly code?: string;
  /** The same in words; no key and no body. */
  readonly message?: string;
  /** The HTTP status of the last response. */
  readonly status?: number;
  /** What is invalid, when the client found so after the update was accepted. */
  readonly issues?: readonly Explanation[];
  /** The client's receipt of the last attempt; absent when its process ended before. */
  readonly receipt?: ReceiptData;
  /** The trace context in which it was enqueued. */
  readonly traceparent?: string;
  /**
   * Why it is not being sent, where `get`, `list` and `history` read an update that is queued; absent while it is being
   * sent, waits for a person itself, or is settled.
   */
  readonly heldBy?: HeldBy;
  /** The last decision of a person. */
  readonly decision?: { readonly at: Date; readonly by?: string; readonly note?: string };
}

/** An update with its body. */
export interface UpdateDetails extends UpdateStatus {
  /** The update itself; absent once it was applied or discarded. */
  readonly update?: unknown;
}

/** A row of `statusColumns`. */
export type StatusRow = Readonly<Record<string, unknown>>;

const epoch = (column: string): string => `extract(epoch from ${column})::float8 as ${column}`;

/** The columns of a status. Times are epochs: what a text of them means depends on the settings of the database. */
export const statusColumns = `id, token, state, attempts, ${epoch('created_at')}, ${epoch('sending_at')}, ${epoch('settled_at')},
  code, message, status, issues, receipt, traceparent, decided_by, ${epoch('decided_at')}, note`;

/** Turns a row into a status. A value that cannot be read is left out: no row makes a list fail. */
export function toStatus(row: StatusRow): UpdateStatus {
  const { id, token, state, attempts, code, status } = row;
  const decidedAt = toDate(row['decided_at']);
  return {
    id: String(id),
    token: String(token),
    state: state as UpdateState,
    attempts: Number(attempts),
    createdAt: toDate(row['created_at']) ?? new Date(0),
    ...optional('sendingAt', toDate(row['sending_at'])),
    ...optional('settledAt', toDate(row['settled_at'])),
    ...optional('code', code),
    ...optional('message', decode(row['message'])),
    ...optional('status', status),
    ...optional('issues', decode(row['issues'])),
    ...optional('receipt', decode(row['receipt'])),
    ...optional('traceparent', row['traceparent']),
    ...(decidedAt && {
      decision: {
        at: decidedAt,
        ...optional('by', decode(row['decided_by'])),
        ...optional('note', decode(row['note'])),
      },
    }),
  };
}

/** Turns a row with a body into details. */
export function toDetails(row: StatusRow): UpdateDetails {
  return { ...toStatus(row), ...optional('update', decode(row['body'])) };
}

/** A field, unless it has no value; what it holds is known where the column is written. */
function optional<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: never } {
  return value === undefined || value === null ? {} : ({ [name]: value } as { [key in Name]: never });
}

function toDate(seconds: unknown): Date | undefined {
  const date = new Date(seconds === null ? Number.NaN : Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * Encodes a value as JSON in ASCII, which a database of any encoding stores. Longer than `maxLength`, or where it is none,
 * it becomes null.
 */
export function encode(value: unknown, maxLength = Number.POSITIVE_INFINITY): string | null {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined || text.length > maxLength ? null : toAscii(text);
  } catch {
    // The receipt of a client of the caller's own may hold anything.
    return null;
  }
}

/** Escapes what is not ASCII in a JSON text. */
export function toAscii(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Reads what `encode` wrote; `undefined` where it is something else. */
export function decode(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text can be the id of an update: the database refuses to look for anything else. */
export function isUpdateId(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}

/**
 * Whether a text can be a token that is stored: no database takes a NUL, and of half a surrogate pair PostgreSQL would make
 * the token of another order.
 */
export function isStorable(token: string): boolean {
  return !token.includes('\0') && token.isWellFormed();
}
