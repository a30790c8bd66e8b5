import { decode, toAscii } from './updates.ts';

/** The state of an event: it waits for its handler, was handled, needs review since its handler failed too often, or was given up. */
export type EventState = 'queued' | 'handled' | 'needs_review' | 'discarded';

/** An event of a webhook. */
export interface InboxEvent {
  readonly id: string;
  /** The order that it is about. */
  readonly token: string;
  readonly state: EventState;
  /** What `verify` returned; `undefined` in a list, and once it was handled or given up. */
  readonly payload?: unknown;
  readonly receivedAt: Date;
  /** How often its handler has failed. */
  readonly failures: number;
  /** What its handler failed with last, in one line, or who decided about it, and why. */
  readonly message?: string;
}

/** A row of an event. */
export interface EventRow {
  readonly id: string;
  readonly token: string;
  readonly state: EventState;
  readonly payload: string | null;
  readonly traceparent: string | null;
  readonly received_at: number;
  readonly failures: number;
  readonly message: string | null;
}

export const eventColumns =
  'id, token, state, payload, traceparent, extract(epoch from received_at)::float8 as received_at, failures, message';

/** Turns a row into an event. */
export function toEvent({ id, token, state, payload, received_at, failures, message }: EventRow): InboxEvent {
  const details = {
    ...(payload !== null && { payload: decode(payload) }),
    ...(message !== null && { message: String(decode(message)) }),
  };
  return { id, token, state, receivedAt: new Date(received_at * 1_000), failures, ...details };
}

/** Encodes what `verify` returned. @throws TypeError that names a value which JSON would change or drop */
export function encodeEvent(event: unknown): string {
  if (event === true) throw new TypeError('true is no event: return what the body holds');
  const paths = new WeakMap<object, string>();
  function check(this: Record<string, unknown>, field: string): unknown {
    const path = paths.has(this) ? `${paths.get(this)}.${field}` : 'event';
    // As it is: what a replacer is called with may have gone through `toJSON`.
    const value = this[field];
    if (typeof value === 'object' && value !== null) {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
        throw new TypeError(
          `${path} is an instance of ${String(value.constructor?.name)}, and no plain object`,
        );
      paths.set(value, path);
    } else if (!isKept(value) && !(value === undefined && !Array.isArray(this)))
      throw new TypeError(`${path} is ${typeof value === 'number' ? value : `of type ${typeof value}`}`);
    return value;
  }
  return toAscii(JSON.stringify(event, check));
}

const isKept = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
