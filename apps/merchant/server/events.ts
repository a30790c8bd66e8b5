import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldReason, Outbox, OutboxStore, Sql, UpdateStatus } from '@orders/outbox';
import type { Inbox } from '@orders/outbox/inbox';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { beatMs } from '../shared/limits.ts';
import { rowsOf } from './database.ts';
import { isLockTimeout, type Log } from './errors.ts';
import { replaceBodies } from './stored-orders.ts';

/** Follows what changes, for the pages. */
export interface Events {
  /** Calls a listener when something changed, at most ten times a second. Returns what ends that. */
  subscribe(listener: () => void): () => void;
  /** Something has just changed: the pages hear of it, and the outbox is read now. */
  changed(): void;
  close(): Promise<void>;
}

export interface EventsOptions {
  readonly store: OutboxStore;
  readonly outbox: Pick<Outbox, 'changes' | 'history' | 'status'>;
  readonly inbox: Pick<Inbox, 'list'>;
  readonly log: Log;
}

/** How often changes are published, and looked for: while something happens, and otherwise, in milliseconds. */
const publishMs = 100;
const pollMs = { busy: 100, idle: 1_000 };

/** For how long something is taken to happen after a wake, in milliseconds. */
const busyMs = 2_000;
const maxChanges = 500;
/** What holds updates for a moment while all is well. */
const passing: readonly HeldReason[] = ['backlog', 'behind_earlier', 'rate_limited'];
/** How often what the outbox has forgotten is deleted, in milliseconds. */
const forgetMs = 3_600_000;

/** Follows the outbox: copies the states of updates, stores an applied one as the body of its order, and publishes changes. */
export async function followOutbox({ store, outbox, inbox, log }: EventsOptions): Promise<Events> {
  const listeners = new Set<() => void>();
  const ending = new AbortController();
  let isPublishing = false;
  let wokenAt = Date.now();
  let wakeUp = (): void => {};
  let cursor = await readCursor(store);
  let serviceState = '';
  // Rounds in a row that failed, and whether the log says so.
  let failures = 0;
  let isFailing = false;

  function publish(): void {
    if (isPublishing) return;
    isPublishing = true;
    setTimeout(() => {
      isPublishing = false;
      for (const listener of listeners) listener();
    }, publishMs);
  }

  /** Projects one page of changes. Returns whether there may be more. */
  async function step(): Promise<boolean> {
    const { updates, cursor: next } = await outbox.changes({
      ...(cursor && { after: cursor }),
      limit: maxChanges,
    });
    if (updates.length === 0) return false;
    const newest = await findNewestApplied(outbox, updates);
    cursor = await store.transaction((tx) => project(tx, { updates, newest, cursor, next }));
    publish();
    return true;
  }

  /** The circuit breaker, a pause, what holds workers or updates, and webhooks that wait for a person are no changes of an update. */
  async function watchService(): Promise<void> {
    if (listeners.size === 0) return;
    const { held, service, workers, pausedUntil } = await outbox.status();
    const reasons = held.map(({ reason }) => reason).filter((reason) => !passing.includes(reason));
    const problems = workers.map(({ reason }) => reason);
    const webhooks = await inbox.list();
    const seen = `${service.state} ${pausedUntil && Math.round(pausedUntil.getTime() / 2_000)} ${reasons} ${problems} ${webhooks.length}`;
    if (serviceState !== seen) publish();
    serviceState = seen;
  }

  async function follow(): Promise<void> {
    let forgetAt = 0;
    for (let round = 0; !ending.signal.aborted; round++) {
      const woken = new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
      try {
        while ((await step()) && !ending.signal.aborted);
        // What was applied while no process ran is projected first.
        if (performance.now() >= forgetAt) {
          await forgetOld(store);
          forgetAt = performance.now() + forgetMs;
        }
        if (round % 5 === 0) await watchService();
        // What the page could not fetch meanwhile.
        if (isFailing) publish();
        failures = 0;
        isFailing = false;
      } catch (error) {
        if (ending.signal.aborted) return;
        failures++;
        // Another app on the same database stores the same changes: it lets go of them soon.
        const patience = isLockTimeout(error) ? 20 : 1;
        const message = `Cannot follow the outbox: ${error instanceof Error ? error.message : 'unknown error'}`;
        // Once, until it works again; the page finds in the status why nothing changes.
        if (failures >= patience && !isFailing) {
          isFailing = true;
          log({ level: 'error', message });
          publish();
        }
      }
      const isBusy = Date.now() - wokenAt < busyMs;
      const waiting = sleep(isBusy ? pollMs.busy : pollMs.idle, undefined, { signal: ending.signal }).catch(
        () => {},
      );
      await (isBusy ? waiting : Promise.race([waiting, woken]));
    }
  }

  const following = follow();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      publish();
      wokenAt = Date.now();
      wakeUp();
    },
    async close() {
      ending.abort();
      await following;
    },
  };
}

/** Deletes the copies of updates that the outbox has forgotten: rejected ones after 30 days, others before. */
async function forgetOld(store: OutboxStore): Promise<void> {
  await store.query(
    `delete from merchant.updates
     where at < now() - interval '31 days' and state not in ('queued', 'sending', 'needs_review')`,
  );
}

async function readCursor(sql: Sql): Promise<string> {
  const [row] = await rowsOf<{ value: string }>(
    sql,
    `select value from merchant.settings where name = 'cursor'`,
  );
  return row?.value ?? '';
}

/**
 * The update that was applied last to each order. What the outbox sends is applied in sequence; only a person may resolve
 * an older update as applied after a newer one, and then the sequence of the outbox counts.
 */
async function findNewestApplied(
  outbox: Pick<Outbox, 'history'>,
  updates: readonly UpdateStatus[],
): Promise<readonly string[]> {
  const newest = new Map<string, UpdateStatus>();
  const applied = updates.filter(({ state }) => state === 'applied');
  for (const update of applied) {
    const { settledAt = 0 } = newest.get(update.token) ?? {};
    if (Number(update.settledAt) >= Number(settledAt)) newest.set(update.token, update);
  }
  for (const { token } of applied.filter(({ decision }) => decision)) {
    const latest = (await outbox.history(token)).find(({ state }) => state === 'applied');
    if (latest) newest.set(token, latest);
  }
  return [...newest.values()].map(({ id }) => id);
}

/** Stores a page of changes and its cursor, all or nothing, unless another process did so already. Returns the cursor. */
async function project(
  tx: Sql,
  page: {
    readonly updates: readonly UpdateStatus[];
    readonly newest: readonly string[];
    readonly cursor: string;
    readonly next: string;
  },
): Promise<string> {
  const { updates, newest, cursor, next } = page;
  const moved = await rowsOf(
    tx,
    `update merchant.settings set value = $2 where name = 'cursor' and value = $1 returning 1`,
    [cursor, next],
  );
  if (moved.length === 0) return readCursor(tx);
  await replaceBodies(tx, newest);
  const ids = updates.map(({ id }) => id);
  const states = updates.map(({ state }) => state);
  await tx.query(
    `insert into merchant.updates as known (id, token, source, state, at)
     select id, token, 'other', state, at from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])
       as u (id, token, state, at)
     on conflict (id) do update set state = excluded.state, at = excluded.at,
       body = case when excluded.state in ('applied', 'discarded') then null else known.body end`,
    [
      ids,
      updates.map(({ token }) => token),
      states,
      updates.map(({ settledAt, createdAt }) => (settledAt ?? createdAt).toISOString()),
    ],
  );
  await tx.query(
    `update merchant.bulk_rows as r set state = u.state, outcome = u.outcome
     from unnest($1::uuid[], $2::text[], $3::text[]) as u (id, state, outcome) where r.update_id = u.id`,
    [ids, states, updates.map(({ code, message, status }) => JSON.stringify({ code, message, status }))],
  );
  return next;
}

/** How many messages may wait for a page that does not read them, before its stream ends. */
const maxUnread = 100;

/** The event stream of the page. It replays nothing: a page that connects fetches everything. */
export function eventRoutes({ events, signal }: { readonly events: Events; readonly signal: AbortSignal }) {
  return new Hono().get('/', (c) =>
    streamSSE(c, async (stream) => {
      const gone = Promise.withResolvers<unknown>();
      stream.onAbort(() => gone.resolve(undefined));
      signal.addEventListener('abort', gone.resolve);
      let unread = 0;
      const write = async (text: string): Promise<void> => {
        if (++unread > maxUnread) gone.resolve(undefined);
        await stream.write(text);
        unread--;
      };
      const leave = events.subscribe(() => write('event: change\ndata: \n\n'));
      const beat = setInterval(() => write('event: beat\ndata: \n\n'), beatMs);
      await stream.write(': connected\n\n');
      if (!signal.aborted) await gone.promise;
      clearInterval(beat);
      signal.removeEventListener('abort', gone.resolve);
      leave();
    }),
  );
}
