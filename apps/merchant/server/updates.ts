import { createHash } from 'node:crypto';
import {
  type HeldReason,
  type Outbox,
  OutboxError,
  type OutboxStore,
  type Sql,
  type UpdateStatus,
} from '@orders/outbox';
import { explain } from '@orders/schema';
import { Hono } from 'hono';
import {
  DecisionRequest,
  type FaultSetting,
  type StatusView,
  type UpdateList,
  UpdateRequest,
  type UpdateSource,
  type UpdateState,
  type UpdateView,
} from '../shared/api.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import { ApiError, checkJson, invalidUpdate } from './errors.ts';
import type { Events } from './events.ts';
import { isId, readNumber, toPage } from './pages.ts';
import { findOrder } from './stored-orders.ts';
import { viewHold, viewUpdate, viewUpdates } from './update-view.ts';

export interface UpdateParts {
  readonly store: OutboxStore;
  readonly outbox: Outbox<ShopUpdate>;
  readonly events: Pick<Events, 'publish' | 'wake'>;
  readonly baseUrl: string;
  /** What the mock service does to requests; absent where another one is used. */
  readonly faultScenario?: (() => FaultSetting['scenario']) | undefined;
}

/** How many updates a page of the list has. */
const listed = { default: 25, most: 100 };
const states: readonly UpdateState[] = [
  'queued',
  'sending',
  'applied',
  'rejected',
  'needs_review',
  'discarded',
];

/** The routes that validate and send updates, and decide about those that need review. */
export function updateRoutes(parts: UpdateParts) {
  const { store, outbox, events } = parts;
  const decide = async (run: Promise<UpdateStatus>): Promise<UpdateView> => {
    const update = await run;
    events.wake();
    return viewUpdate(store, update);
  };
  return new Hono()
    .post('/orders/:token/updates', checkJson(UpdateRequest), async (c) => {
      const token = await findOrder(store, c.req.param('token'));
      const { id, update } = c.req.valid('json');
      await sendOnce(parts, { id, token, update: validate(update), source: 'editor' });
      return c.json<UpdateView>(await viewUpdate(store, await outbox.get(id)), 202);
    })
    .get('/updates', async (c) => {
      const { states: wanted = 'needs_review,rejected', after, limit: asked } = c.req.query();
      const limit = readNumber(asked, { min: 1, max: listed.most, fallback: listed.default });
      const found = await outbox.list({
        states: states.filter((state) => wanted.split(',').includes(state)),
        ...(after !== undefined && isId(after) && { after }),
        limit: limit + 1,
      });
      const { items, next } = toPage(found, ({ id }) => id, limit);
      return c.json<UpdateList>({
        updates: await viewUpdates(store, items),
        ...(next !== undefined && { next }),
      });
    })
    .get('/updates/:id', async (c) =>
      c.json<UpdateView>(await viewUpdate(store, await outbox.get(c.req.param('id')))),
    )
    .post('/updates/:id/resolve', checkJson(DecisionRequest), async (c) =>
      c.json<UpdateView>(await decide(outbox.resolve(c.req.param('id'), 'applied', c.req.valid('json')))),
    )
    .post('/updates/:id/retry', checkJson(DecisionRequest), async (c) =>
      c.json<UpdateView>(await decide(outbox.retry(c.req.param('id'), c.req.valid('json')))),
    )
    .post('/updates/:id/discard', checkJson(DecisionRequest), async (c) =>
      c.json<UpdateView>(await decide(outbox.discard(c.req.param('id'), c.req.valid('json')))),
    )
    .get('/status', async (c) => c.json<StatusView>(await readStatus(parts)))
    .post('/resume', async (c) => {
      await outbox.resume();
      events.publish({ status: true });
      return c.body(null, 204);
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
  outbox: Pick<Outbox<ShopUpdate>, 'enqueue'>,
  tx: Sql,
  updates: readonly NewUpdate[],
): Promise<void> {
  for (const { id, token, update } of updates) await outbox.enqueue(token, update, { id, tx });
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
    await store.transaction((tx) => enqueueUpdates(outbox, tx, [update]));
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
  events.publish({ tokens: [token], status: true });
  events.wake();
}

/** Whether what keeps a worker from sending is the state of the service, and not that of the database or of the worker. */
const isServiceState = (reason: HeldReason | undefined) =>
  reason === 'service_unavailable' || reason === 'key_refused';

async function readStatus({ outbox, store, baseUrl, faultScenario }: UpdateParts): Promise<StatusView> {
  const { updates, held, service, pausedUntil, workers } = await outbox.status();
  const { queued, sending, needsReview, rejected } = updates;
  // Workers that have not reached the service yet send nothing, though no update has failed.
  const isSending = workers.some(({ problem }) => problem === undefined);
  const blocked = isSending ? undefined : workers.find(({ reason }) => isServiceState(reason));
  const message = service.message ?? blocked?.problem;
  return {
    outbox: { queued, sending, needsReview, rejected },
    held: held.map((group) => ({ ...viewHold(group), updates: group.updates })),
    service: {
      state: service.state === 'ok' && isServiceState(blocked?.reason) ? blocked.reason : service.state,
      ...(message !== undefined && { message }),
      ...(service.nextProbeAt && { nextProbeAt: service.nextProbeAt.toISOString() }),
    },
    ...(pausedUntil && { pausedUntil: pausedUntil.toISOString() }),
    baseUrl,
    place: store.place,
    ...(faultScenario && { faultInjection: faultScenario() }),
  };
}
