// First, before anything fails without it.
import './node-version.ts';

import { randomUUID } from 'node:crypto';
import dns from 'node:dns';
import process from 'node:process';
import { getSystemErrorMap } from 'node:util';
import { checkOptions } from '@orders/schema/check-options';
import { within } from './credentials.ts';
import { causesOf, databaseError, describeError, kindOfError, OutboxError, sqlState } from './errors.ts';
import { type Events, eventsOf, lockOrder } from './events.ts';
import { guarded } from './guarded.ts';
import { usualStallMs } from './held.ts';
import { encodeEvent } from './inbox-event.ts';
import { EventHandlers, type InboxHandler } from './inbox-handlers.ts';
import { readBody, refusal } from './inbox-request.ts';
import { checkCount, checkMs, checkStore } from './options.ts';
import { LaneQueue } from './queue.ts';
import { reviewCopy } from './restored.ts';
import { checkDatabase, checkInstalled, checkSchemaName, migrateSchema, readInstalled } from './schema.ts';
import { type OutboxStore, quoteName, rowsOf } from './store.ts';
import { activeTraceparent } from './telemetry.ts';
import { isStorable } from './updates.ts';

export { type EventListOptions, type Events, eventsOf } from './events.ts';
export type { EventState, InboxEvent } from './inbox-event.ts';
export type { InboxHandler } from './inbox-handlers.ts';
export { fromNode, type NodeHandler } from './inbox-request.ts';

/** Options of `createInbox`. */
export interface InboxOptions {
  /** Where events are stored: the store of the outbox, whose tables hold them. The inbox does not close it. */
  readonly store: OutboxStore;
  /**
   * Checks that a request is genuine, by the bytes of its body as they came, and returns the event, as JSON holds it. Where it
   * returns nothing (`undefined`, `null`, `false`) or throws, the response is 401; it is 503 where it throws an error of a
   * connection, a timeout or a database, or a bug (TypeError, ReferenceError, RangeError). A `Response` that it throws is sent
   * instead. The URL counts, too: it may hold the secret, and the order. With `'none'`, anybody may send events: the token is
   * never taken from the body, which is read by `JSON.parse`: it rounds long numbers, and keeps the last of fields with one name.
   */
  readonly verify: 'none' | ((body: Uint8Array<ArrayBuffer>, request: Request) => unknown);
  /**
   * What distinguishes an event, by which a repeated one is known: the path of a field, such as `data.id`, or a function.
   * With `'none'`, each delivery is an event of its own, and one that is repeated is handled again.
   */
  readonly id: 'none' | (string & {}) | ((event: unknown, request: Request) => unknown);
  /** The order that an event is about: the path of a field, or a function, which gets no event where `verify` is `'none'`. */
  readonly token: string | ((event: unknown, request: Request) => unknown);
  /**
   * Handles an event, in the sequence of its order, in a transaction: with `enqueue(token, update, { tx })` and statements on
   * its `tx`, one in each text, all of it takes place once, or is rolled back and repeated. It may take 2 s on PGlite, 10 s on
   * PostgreSQL, and must use neither the network nor the store or the outbox but by its `tx`. An event whose handler has failed
   * 10 times needs review, and holds later ones of its order.
   */
  readonly handler: InboxHandler;
  /** Inboxes with the same schema are one inbox: give each kind of webhook its own. @default 'orders_outbox' */
  readonly databaseSchema?: string | undefined;
  /** Makes the tables, or brings them up to date. @default for PGlite, and where there are none */
  readonly migrate?: boolean | undefined;
  /** The longest body, in bytes. @default 1_048_576 */
  readonly maxBytes?: number | undefined;
  /** How many events of an order may wait; a further one is refused with 503. @default 1_000 */
  readonly maxWaiting?: number | undefined;
  /** How many events this process handles at once, each with a connection of the callers; at most 1 on PGlite. @default 2 */
  readonly concurrency?: number | undefined;
  /** How long an id is kept once its event was handled or given up, in milliseconds. @default 30 days */
  readonly keepIdsMs?: number | undefined;
  /** @default process.emitWarning */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Stores the events of webhooks, and handles each once, in the sequence of its order. */
export interface Inbox extends Events {
  /**
   * Responds to a delivery: 204 once its event is stored, or was before; 400, 401, 405, 408, 413, 422 or 500 where it can never be,
   * and 503 where it cannot be now. It never rejects.
   */
  receive(request: Request): Promise<Response>;
  /** Resolves once events are handled, which begins by itself. @throws OutboxError as `createOutbox` */
  start(): Promise<void>;
  /** Resolves once no event is due; one whose handler failed is not, until its next try. */
  drain(): Promise<void>;
  /** Takes no more events, and waits up to 15 s for the handlers that run. The store stays open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const names = {
  store: 0,
  verify: 0,
  id: 0,
  token: 0,
  handler: 0,
  databaseSchema: 0,
  migrate: 0,
  maxBytes: 0,
  maxWaiting: 0,
  concurrency: 0,
  keepIdsMs: 0,
  warn: 0,
} satisfies Record<keyof InboxOptions, 0>;
/** The longest id and token, in bytes, that every index holds. */
const maxBytesOf = { id: 500, token: 2_000 };
/** How long `close` waits, in milliseconds: longer than any handler may take. */
const closeMs = 15_000;

/**
 * Creates an inbox for the webhooks of the order service, of which the API shows neither payload nor signature: `verify`,
 * `id` and `token` say what yours are. It handles events at once; without a server, `receive` takes a web `Request`.
 *
 * @throws TypeError when an option is missing or wrong.
 */
export function createInbox(options: InboxOptions): Inbox {
  const { store, verify, id, token, maxBytes = 2 ** 20, maxWaiting = 1_000 } = checkInboxOptions(options);
  const name = checkSchemaName(options.databaseSchema ?? 'orders_outbox');
  const table = `${quoteName(name)}.events`;
  const channel = `${name}_inbox`;
  const warn = guarded(options.warn ?? ((message) => process.emitWarning(message, 'InboxWarning')));
  if (verify === 'none')
    warn('The inbox takes events from anybody, since verify is none: only its URL shows who sends them.');
  const events = eventsOf(store, name);
  const handlers = new EventHandlers({ ...options, table, channel, warn });
  let closing: Promise<void> | undefined;
  let starting: Promise<void> | undefined;
  let isOpen = false;
  /** What has gone wrong since an event was stored last. */
  const problems = new Set<string>();
  function note(problem: string, kind = problem): void {
    if (!problems.has(kind)) warn(problem);
    problems.add(kind);
  }

  async function open(): Promise<void> {
    const queue = new LaneQueue(store, name, { onError: () => {} });
    await checkDatabase(store, name);
    const isEmpty = (await readInstalled(store, name)) === 'empty';
    if (options.migrate ?? (store.backend === 'pglite' || isEmpty))
      await migrateSchema(store, name, queue, { warn, stallMs: usualStallMs });
    else await checkInstalled(store, name, queue);
    await reviewCopy(store, name, warn);
    checkOpen();
    isOpen = true;
    await handlers.start();
  }

  /** Opens it, once, and again where that failed. */
  function start(): Promise<void> {
    checkOpen();
    starting ??= open().catch((error: unknown) => {
      starting = undefined;
      throw databaseError(store.place, name, error);
    });
    return starting;
  }

  function checkOpen(): void {
    if (closing) throw new OutboxError('closed', 'The inbox is closed.');
  }

  const usable = async <T>(run: () => Promise<T>): Promise<T> => {
    await start();
    return run().catch((error: unknown) => {
      throw error instanceof TypeError ? error : databaseError(store.place, name, error);
    });
  };

  async function receive(request: Request): Promise<Response> {
    if (request.method !== 'POST') return refusal(405, 'Send events with POST.', { allow: 'POST' });
    const body = await readBody(request, maxBytes);
    if (body instanceof Response) return body;
    let event: unknown;
    try {
      event = verify === 'none' ? readJson(body) : await verify(body, request);
    } catch (error) {
      if (error instanceof Response) return copyOf(error);
      if (verify === 'none') return refusal(400, 'The body is not JSON in UTF-8.');
      const isUnsure = isNoVerdict(error);
      note(`verify threw ${kindOfError(error)}: the inbox responds with ${isUnsure ? 503 : 401}.`);
      if (isUnsure) return refusal(503, 'It cannot be verified now.', { 'retry-after': '10' });
      return refusal(401, 'It is not genuine.');
    }
    if (!event) return refusal(401, 'It is not genuine.');
    let payload: string;
    try {
      payload = encodeEvent(event);
    } catch (error) {
      const what = 'verify returned what JSON does not hold, and the inbox responds with 422';
      // The sender chooses the names of fields.
      note(`${what}: ${describeError(error).slice(0, 200)}.`, what);
      return refusal(422, 'The event cannot be stored as JSON.');
    }
    try {
      const known = {
        id: await find(id, event, request),
        token: await find(token, verify === 'none' ? undefined : event, request),
      };
      for (const which of ['id', 'token'] as const) {
        const found = known[which];
        if (isKey(found, maxBytesOf[which])) continue;
        const isLong = typeof found === 'string' && Buffer.byteLength(found) > maxBytesOf[which];
        const why = isLong ? `its ${which} has more than ${maxBytesOf[which]} bytes` : `it has no ${which}`;
        note(`The inbox responds with 422 to an event: ${why}. Check the option ${which}.`);
        return refusal(422, `The event cannot be stored: ${why}.`);
      }
      const isStored = await usable(() => insert(String(known.id), String(known.token), payload));
      problems.clear();
      if (!isStored) return refusal(503, 'Too many events of this order wait.', { 'retry-after': '60' });
      handlers.wake();
      return new Response(null, { status: 204 });
    } catch (error) {
      if (sqlState(error) === '22P05')
        return refusal(422, 'Its id or token has characters that the database cannot store.');
      const problem = error instanceof OutboxError ? error.message : `${kindOfError(error)} in id or token`;
      note(`The inbox cannot store events, and responds with 503: ${problem}`);
      return refusal(503, 'It cannot be stored now.', { 'retry-after': '10' });
    }
  }

  /** Stores an event, unless it is there. Resolves with false where too many of its order wait. */
  async function insert(eventId: string, eventToken: string, payload: string): Promise<boolean> {
    return store.transaction(async (tx) => {
      // Positions are in the order of commits.
      await lockOrder(tx, table, eventToken);
      const [row] = await rowsOf<{ is_known: boolean; waiting: number }>(
        tx,
        `select exists (select from ${table} where id = $1) as is_known,
           (select count(*)::int from ${table} where token = $2 and settled_at is null) as waiting`,
        [eventId, eventToken],
      );
      if (row?.is_known) return true;
      const waiting = row?.waiting ?? 0;
      if (waiting >= maxWaiting) return false;
      await tx.query(
        `with stored as (
           insert into ${table} (id, token, position, payload, traceparent, due_at)
           select $1, $2, coalesce(max(position), 0) + 1, $3, $4, ${waiting > 0 ? "'infinity'" : 'clock_timestamp()'}
           from ${table} where token = $2
           on conflict (id) do nothing returning id
         )
         select pg_notify('${channel}', '') from stored`,
        [eventId, eventToken, payload, activeTraceparent() ?? null],
      );
      return true;
    });
  }

  const decide = (action: 'retry' | 'discard'): Events['retry'] => {
    return (eventId, decision) =>
      usable(async () => {
        const event = await events[action](eventId, decision);
        handlers.wake();
        return event;
      });
  };

  async function close(): Promise<void> {
    closing ??= (async () => {
      const ended = (async () => {
        await starting?.catch(() => {});
        await handlers.stop();
      })();
      await within(closeMs, ended).catch(() => {
        const handling = `since ${store.place} has not responded: an event that it was handling is handled again, unless that was committed`;
        const opening = `while it was opening ${store.place}, which goes on until the store is closed: it handles nothing`;
        warn(`The inbox closed, ${isOpen ? handling : opening}.`);
      });
    })();
    await closing;
  }

  /** What waits from before is handled, whether or not another event comes, and where the database comes later, too. */
  async function startSoon(waitMs = 1_000): Promise<void> {
    try {
      if (!closing) await start();
    } catch (error) {
      if (closing) return;
      if (waitMs === 1_000) warn(`The inbox handles no events, and tries again: ${describeError(error)}`);
      setTimeout(() => void startSoon(Math.min(30_000, 2 * waitMs)), waitMs).unref();
    }
  }
  void startSoon();

  return {
    receive,
    start,
    get: (eventId) => usable(() => events.get(eventId)),
    list: (which) => usable(() => events.list(which)),
    counts: () => usable(events.counts),
    retry: decide('retry'),
    discard: decide('discard'),
    drain: () => usable(() => handlers.whenIdle()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkInboxOptions(options: InboxOptions): InboxOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('createInbox: pass { store, verify, id, token, handler }.');
  checkOptions('createInbox', options, Object.keys(names));
  const { store, verify, id, token, handler } = options;
  checkStore(store);
  if (verify !== 'none' && typeof verify !== 'function')
    throw new TypeError(
      "verify: pass a function that checks the signature or the URL, or write 'none', with which anybody may send events.",
    );
  if (typeof id !== 'function' && !isPath(id))
    throw new TypeError(
      "id: write the path of a field, such as 'data.id', pass a function, or write 'none', with which repeated events are handled again.",
    );
  if (typeof token !== 'function' && !isPath(token))
    throw new TypeError("token: write the path of a field, such as 'data.order_token', or pass a function.");
  if (verify === 'none' && typeof token !== 'function')
    throw new TypeError(
      "token: with verify: 'none' anybody may write any token into the body: pass a function that takes it from the request.",
    );
  if (typeof handler !== 'function') throw new TypeError('handler: pass a function.');
  checkCount('maxBytes', options.maxBytes, 64 * 2 ** 20);
  checkCount('maxWaiting', options.maxWaiting);
  checkCount('concurrency', options.concurrency);
  checkMs('keepIdsMs', options.keepIdsMs, Number.POSITIVE_INFINITY);
  return options;
}

const isPath = (path: unknown): path is string => typeof path === 'string' && /^[^.]+(\.[^.]+)*$/.test(path);

/** Whether a value distinguishes an event or an order. PGlite drops a byte order mark with which a text begins. */
function isKey(value: unknown, longest: number): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return (
    typeof value === 'string' &&
    value !== '' &&
    !value.startsWith('\ufeff') &&
    isStorable(value) &&
    Buffer.byteLength(value) <= longest
  );
}

async function find(where: InboxOptions['id'], event: unknown, request: Request): Promise<unknown> {
  if (typeof where === 'function') return where(event, request);
  if (where === 'none') return randomUUID();
  let value = event;
  for (const field of where.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, field)
        ? (value as Record<string, unknown>)[field]
        : undefined;
  return value;
}

/** Codes of connections that failed, and of name servers. */
const systemCodes = new Set<unknown>([
  ...[...getSystemErrorMap().values()].map(([code]) => code),
  ...Object.values(dns),
]);
/** What says that something is away: codes of Node, TLS, undici and axios, of jose for a set of keys, and of PostgreSQL. */
const awayCode =
  /^(?:\w*(?:TIMED?OUT|CONN|ABORT|CANCEL)\w*|(?:EAI|UND_ERR|HPE|CERT|UNABLE_TO)_\w+|(?:DEPTH_ZERO_)?SELF_SIGNED\w+|ERR_(?:TLS|SSL|SOCKET|STREAM|HTTP2|NETWORK|BAD_RESPONSE|JWKS_TIMEOUT|JWKS_INVALID|JOSE_GENERIC)\w*|(?=.*\d)[\dA-Z]{5})$/;
/** The same of errors without a code, and bugs: Node gives a code to what it finds wrong with the values of a request. */
const awayText = /^(?:Abort|Timeout|Type|Reference|Range)Error:|\bconnect|time-?out|timed out/i;

/** Whether an error of `verify` is of something else than the request: whether that is genuine cannot be known now. */
function isNoVerdict(error: unknown): boolean {
  for (const each of causesOf(error)) {
    // Its text quotes the body.
    if (each instanceof SyntaxError) continue;
    const code = 'code' in each && typeof each.code === 'string' ? each.code : undefined;
    const isAway = code
      ? systemCodes.has(code) || awayCode.test(code)
      : awayText.test(`${each.name}: ${each.message}`);
    if (isAway || each instanceof OutboxError) return true;
  }
  return false;
}

/** A copy of a Response: `verify` may throw the same again. */
function copyOf(response: Response): Response {
  try {
    return new Response(response.clone().body, response);
  } catch {
    return refusal(500, 'The Response that verify threw was read before, or has no status.');
  }
}

function readJson(body: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}
