import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type HeldReason,
  type Outbox,
  OutboxError,
  type OutboxStore,
  type Sql,
  type UpdateDetails,
  type UpdateStatus,
} from '@orders/outbox';
import type { Inbox } from '@orders/outbox/inbox';
import { explain } from '@orders/schema';
import { Hono } from 'hono';
import { DecisionRequest, type FaultSetting, UpdateRequest, type UpdateSource } from '../shared/api.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import { ApiError, checkJson, invalidUpdate, isLockTimeout } from './errors.ts';
import type { Events } from './events.ts';
import { isId, toPage } from './pages.ts';
import { findOrder, lockOrders } from './stored-orders.ts';

export interface UpdateParts {
  readonly store: OutboxStore;
  readonly outbox: Outbox<ShopUpdate>;
  readonly inbox: Inbox;
  readonly events: Pick<Events, 'changed'>;
  /** What the mock service does to requests; absent where another one is used. */
  readonly faultScenario?: (() => FaultSetting['scenario']) | undefined;
}

/** How many updates a page of the list has, and of which states it is: they wait for a person. */
const listed = 25;
const listedStates = ['needs_review', 'rejected'] as const;

/** The routes that validate and send updates, and decide about those that need review. */
export function updateRoutes(parts: UpdateParts) {
  const { store, outbox, events } = parts;
  const decide = async (
    id: string,
    { settledAt, ...decision }: DecisionRequest,
    run: (id: string, decision: Pick<DecisionRequest, 'note'>) => Promise<UpdateStatus>,
  ) => {
    const now = (await outbox.get(id))?.settledAt?.toISOString() ?? '';
    if (settledAt !== undefined && settledAt !== now)
      throw new ApiError(
        409,
        'changed',
        'This update has changed since you saw it. Look at it, then decide again.',
      );
    const update = await run(id, decision);
    events.changed();
    return viewUpdate(store, update);
  };
  return new Hono()
    .post('/orders/:token/updates', checkJson(UpdateRequest), async (c) => {
      const token = await findOrder(store, c.req.param('token'));
      const { id, update } = c.req.valid('json');
      await sendOnce(parts, { id, token, update: validate(update), source: 'editor' });
      return c.json(await viewUpdate(store, await outbox.get(id)), 202);
    })
    .get('/updates', async (c) => {
      const { state, after } = c.req.query();
      const found = await outbox.list({
        states: listedStates.filter((one) => state === undefined || one === state),
        ...(after !== undefined && isId(after) && { after }),
        limit: listed + 1,
      });
      const { items, ...page } = toPage(found, ({ id }) => id, listed);
      return c.json({ updates: await viewUpdates(store, items), ...page });
    })
    .get('/updates/:id', async (c) => c.json(await viewUpdate(store, await outbox.get(c.req.param('id')))))
    .post('/updates/:id/resolve', checkJson(DecisionRequest), async (c) =>
      c.json(
        await decide(c.req.param('id'), c.req.valid('json'), (id, decision) =>
          outbox.resolve(id, 'applied', decision),
        ),
      ),
    )
    .post('/updates/:id/retry', checkJson(DecisionRequest), async (c) =>
      c.json(await decide(c.req.param('id'), c.req.valid('json'), outbox.retry)),
    )
    .post('/updates/:id/discard', checkJson(DecisionRequest), async (c) =>
      c.json(await decide(c.req.param('id'), c.req.valid('json'), outbox.discard)),
    )
    .get('/status', async (c) => c.json(await readStatus(parts)))
    .post('/resume', async (c) => {
      await outbox.resume();
      events.changed();
      return c.body(null, 204);
    });
}

/** @throws ApiError 404 when there is no such update. */
async function viewUpdate(sql: Sql, update: UpdateDetails | undefined) {
  const [view] = update ? await viewUpdates(sql, [update]) : [];
  if (!view) throw new ApiError(404, 'unknown_update', 'There is no such update.');
  return view;
}

/** Updates with where they came from, and the numbers of their orders as they are now. */
export async function viewUpdates(sql: Sql, updates: readonly UpdateDetails[]) {
  const rows = await rowsOf<{ id: string; source: UpdateSource; order_id: string | null }>(
    sql,
    `select u.id, u.source, o.order_id from merchant.updates as u left join merchant.orders as o using (token)
     where u.id = any($1::uuid[])`,
    [updates.map(({ id }) => id)],
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  return updates.map((update) => {
    const { source = 'other', order_id = null } = known.get(update.id) ?? {};
    return { ...update, source, orderId: order_id };
  });
}

/** @throws ApiError 422 with every issue. */
function validate(update: unknown): ShopUpdate {
  const checked = ShopUpdate.safeParse(update);
  if (checked.success) return checked.data;
  throw invalidUpdate(explain(checked.error));
}

/** An update to be accepted. */
export interface NewUpdate {
  readonly id: string;
  readonly token: string;
  readonly update: ShopUpdate;
  readonly source: UpdateSource;
}

/** Accepts updates within a transaction: they are queued, and their bodies are kept until they were applied, or neither. */
export async function enqueueUpdates(
  outbox: Pick<Outbox<ShopUpdate>, 'enqueueAll'>,
  tx: Sql,
  updates: readonly NewUpdate[],
): Promise<void> {
  await lockOrders(
    tx,
    updates.map(({ token }) => token),
  );
  await outbox.enqueueAll(
    updates.map(({ id, token, update }) => ({ id, token, update })),
    { tx },
  );
  await tx.query(
    `insert into merchant.updates (id, token, source, body, digest)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])`,
    [
      updates.map(({ id }) => id),
      updates.map(({ token }) => token),
      updates.map(({ source }) => source),
      updates.map(({ update }) => JSON.stringify(update)),
      updates.map(({ update }) => digestOf(update)),
    ],
  );
}

const digestOf = (update: ShopUpdate): string =>
  createHash('sha256').update(JSON.stringify(update)).digest('base64url');

/**
 * Accepts an update of an order. The same update a second time, under the same id, is accepted once.
 *
 * @throws ApiError 409 when another update has this id.
 */
export async function sendOnce(
  parts: Pick<UpdateParts, 'store' | 'outbox' | 'events'>,
  update: NewUpdate,
): Promise<void> {
  const { store, outbox, events } = parts;
  const { id, token } = update;
  try {
    await untilUnlocked(token, () =>
      store.transaction((tx) => enqueueUpdates(outbox, tx, [update]), { isRepeated: true }),
    );
  } catch (error) {
    if (!(error instanceof OutboxError && error.code === 'duplicate_id')) throw error;
    const repeated = await rowsOf(
      store,
      'select from merchant.updates where id = $1 and token = $2 and digest = $3',
      [id, token, digestOf(update.update)],
    );
    if (repeated.length === 0)
      throw new ApiError(
        409,
        'duplicate_id',
        `Another update has the id ${id}, so this one was not accepted: send it with an id of its own.`,
      );
  }
  events.changed();
}

/** Of each order, the request that waits last. */
const lastOf = new Map<string, Promise<void>>();
/** How long a request waits for its order, in milliseconds. */
const patienceMs = 3_000;

/**
 * Runs a transaction again while its order is locked. It gives its connection back to other requests meanwhile, and only one
 * request of an order tries at a time: the others wait without a connection, and are refused in time, whatever that one does.
 */
async function untilUnlocked(token: string, run: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  const before = lastOf.get(token);
  const refused = Promise.withResolvers<never>();
  let isRefused = false;
  const timer =
    before &&
    setTimeout(() => {
      isRefused = true;
      const message = `Earlier requests of this order have waited for ${patienceMs / 1_000} s.`;
      refused.reject(new OutboxError('order_locked', message));
    }, patienceMs);
  const tries = async (): Promise<void> => {
    await before?.catch(() => {});
    clearTimeout(timer);
    while (!isRefused) {
      try {
        return await run();
      } catch (error) {
        if (!isLockTimeout(error) || performance.now() >= endsAt) throw error;
        await sleep(100);
      }
    }
  };
  const mine = tries().finally(() => {
    if (lastOf.get(token) === mine) lastOf.delete(token);
  });
  lastOf.set(token, mine);
  await Promise.race([mine, refused.promise]);
}

/** Whether what keeps a worker from sending is the state of the service, and not that of the database or of the worker. */
const isServiceState = (reason: HeldReason | undefined): reason is 'service_unavailable' | 'key_refused' =>
  reason === 'service_unavailable' || reason === 'key_refused';

async function readStatus({ outbox, inbox, faultScenario }: UpdateParts) {
  const { service, workers, ...status } = await outbox.status();
  // Workers that have not reached the service yet send nothing, though no update has failed.
  const isSending = workers.some(({ problem }) => problem === undefined);
  const blocked = isSending ? undefined : workers.find(({ reason }) => isServiceState(reason));
  const message = service.message ?? blocked?.problem;
  return {
    ...status,
    /** The events that could not be handled, at most a hundred. */
    webhooks: await inbox.list(),
    service: {
      ...service,
      ...(service.state === 'ok' && isServiceState(blocked?.reason) && { state: blocked.reason }),
      ...(message !== undefined && { message }),
    },
    ...(faultScenario && { faultInjection: faultScenario() }),
  };
}
