import { randomUUID } from 'node:crypto';
import { createOrdersClient } from '@orders/client';
import { buildOrderUpdate, type MockOrderService, startMockOrderService } from '@orders/testing';
import type { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStorage } from '../../test/open-test-storage.ts';
import { type DeskMessage, LaneEvents } from '../contract/desk-event.ts';
import { Trouble } from '../contract/switchboard-view.ts';
import type { UpdateView } from '../contract/update-view.ts';
import { foretellOutcomes, promiseOutcomes } from '../page/switchboard/promised-outcomes.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { createClientDesk } from './client-desk.ts';
import { createEventHub, type EventHub } from './event-hub.ts';
import { switchboardRoutes } from './switchboard-routes.ts';
import type { UpdateDesk } from './update-desk.ts';

interface TestBoard extends AsyncDisposable {
  readonly routes: Hono;
  readonly service: MockOrderService;
  readonly storage: DeskStorage;
  readonly hub: EventHub;
  readonly desk: UpdateDesk;
}

const tokens = ['order-1', 'order-2'];

interface BoardOptions {
  readonly ownService?: boolean;
  /** @default 3 */
  readonly maxAttempts?: number;
  /** @default one of its own */
  readonly storage?: DeskStorage;
}

/** A storage starts slowly, so tests that ask for one update by its id share one. */
let shared: DeskStorage;

beforeAll(async () => {
  shared = await openTestStorage();
});

afterAll(() => shared.close());

/** The routes over a real desk and a real order service; the client tries again as it does by default. */
async function openBoard(options: BoardOptions = {}): Promise<TestBoard> {
  const { ownService = true, maxAttempts = 3 } = options;
  const service = await startMockOrderService({ orders: tokens });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, retry: { maxAttempts } });
  const storage = options.storage ?? (await openTestStorage());
  await storage.orders.add(tokens.map((token) => ({ token, body: buildOrderUpdate({ order_id: token }) })));
  const hub = createEventHub();
  const desk = createClientDesk({ storage, hub, orders });
  const ending = new AbortController();
  const own = ownService ? service : undefined;
  const routes = switchboardRoutes({ storage, hub, desk, service: own, signal: ending.signal });
  return {
    routes,
    service,
    storage,
    hub,
    desk,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await desk.close();
      await orders.close();
      await service.close();
      if (storage !== shared) await storage.close();
    },
  };
}

async function ask({ routes }: TestBoard, path: string, method = 'GET', body?: unknown) {
  const answer = await routes.request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

const set = (board: TestBoard, trouble: Trouble, percent = 100) =>
  ask(board, '/', 'PUT', { trouble, percent });

async function sendOne({ desk }: TestBoard, token = 'order-1'): Promise<UpdateView> {
  const { id } = await desk.submit({ id: randomUUID(), token, body: buildOrderUpdate() });
  return desk.settled(id);
}

function nextMessage({ hub }: TestBoard, wanted: (message: DeskMessage) => boolean): Promise<DeskMessage> {
  return new Promise((resolve) => {
    const stop = hub.subscribe((message) => {
      if (!wanted(message)) return;
      stop();
      resolve(message);
    });
  });
}

/**
 * What becomes of an update that meets a trouble at every attempt; `applied` is what the order service says itself. Later
 * attempts might meet a service that is down in the moment in which it must be sent away again.
 */
const ends = {
  none: { attempts: 1, applied: 1 },
  slow: { attempts: 1, applied: 1 },
  busy: { attempts: 3, applied: 0 },
  failing: { attempts: 1, applied: 0 },
  reset_after_applying: { attempts: 1, applied: 1 },
  down: { attempts: 1, applied: 0 },
} as const satisfies Record<Trouble, unknown>;

async function expectPromise(trouble: Trouble): Promise<void> {
  await using board = await openBoard({ storage: shared, maxAttempts: trouble === 'down' ? 1 : 3 });
  expect(await set(board, trouble)).toEqual({
    status: 200,
    body: { available: true, setting: { trouble, percent: 100 } },
  });
  const started = performance.now();
  const { state, report } = await sendOne(board);
  expect(promiseOutcomes(trouble, 'client')).toContain(state);
  expect(foretellOutcomes({ trouble, percent: 100 }, 'client')).toEqual([[state, 100]]);
  expect(report?.attempts).toBe(ends[trouble].attempts);
  expect(board.service.ledger).toHaveLength(ends[trouble].applied);
  if (trouble === 'slow') expect(performance.now() - started).toBeGreaterThan(1490);

  expect(await set(board, 'none')).toMatchObject({ status: 200 });
  expect(await sendOne(board)).toMatchObject({ state: 'applied', report: { attempts: 1 } });
}

test.concurrent.each(Trouble.options.filter((trouble) => trouble !== 'down'))(
  '%s leads to the outcome that the page promises',
  expectPromise,
);

// Alone: what keeps the process busy for long keeps the service from being sent away again in time.
test('down leads to the outcome that the page promises', () => expectPromise('down'));

test('an update waits while it is busy, and is applied after', async () => {
  await using board = await openBoard({ storage: shared });
  await set(board, 'busy');
  const turnedAway = nextMessage(
    board,
    (message) => message.type === 'stored' && message.event.kind === 'attempt_ended',
  );
  const settled = sendOne(board);
  expect(await turnedAway).toMatchObject({
    event: { outcome: 'rejected', retryDelayMs: expect.any(Number) },
  });
  await set(board, 'none');
  expect(await settled).toMatchObject({ state: 'applied', report: { attempts: 2 } });
});

test('a share of requests meets the trouble, the same ones each time', async () => {
  await using board = await openBoard({ storage: shared });
  const sendTen = async () => {
    await set(board, 'failing', 50);
    const states: string[] = [];
    for (let count = 0; count < 10; count++) states.push((await sendOne(board)).state);
    return states;
  };
  const states = await sendTen();
  expect(new Set(states)).toEqual(new Set(['applied', 'unknown']));
  expect(await sendTen()).toEqual(states);
});

test('a change is told to everyone who listens, and kept', async () => {
  await using board = await openBoard({ storage: shared });
  const told = nextMessage(board, ({ type }) => type === 'passing');
  const { body: view } = await set(board, 'slow', 30);
  expect(await told).toEqual({ type: 'passing', event: { kind: 'switchboard_changed', switchboard: view } });
  expect(await ask(board, '/')).toEqual({ status: 200, body: view });
});

const restarts = ({ service }: TestBoard) =>
  service.faults.played.filter(({ fault }) => fault.type === 'restart').length;

test('an outage lasts until it is ended, and nothing is applied meanwhile', async () => {
  await using board = await openBoard({ storage: shared, maxAttempts: 1 });
  await set(board, 'down');
  // The service has been sent away more than once, so a single restart is over.
  while (restarts(board) < 2) expect((await sendOne(board)).state).not.toBe('applied');
  expect(board.service.ledger).toEqual([]);
  await set(board, 'none');
  expect((await sendOne(board)).state).toBe('applied');
});

test('changes asked for at once come one after another', async () => {
  await using board = await openBoard({ storage: shared, maxAttempts: 1 });
  await Promise.all([set(board, 'down'), set(board, 'none')]);
  expect(await ask(board, '/')).toMatchObject({ body: { setting: { trouble: 'none' } } });
  expect((await sendOne(board)).state).toBe('applied');
});

test('a burst sends what each order holds, so many times, and is answered before it is done', async () => {
  await using board = await openBoard();
  await set(board, 'slow');
  const { status, body } = await ask(board, '/burst', 'POST', { orders: 2, updates: 2 });
  expect(status).toBe(202);
  const { ids } = body as { ids: string[] };
  const found = await Promise.all(ids.map((id) => board.storage.updates.find(id)));
  expect(found.map((update) => [update?.token, update?.body.order_id])).toEqual([
    ['order-1', 'order-1'],
    ['order-2', 'order-2'],
    ['order-1', 'order-1'],
    ['order-2', 'order-2'],
  ]);
  expect(found.every((update) => update?.report === null)).toBe(true);
});

test('a burst takes no more orders than there are', async () => {
  await using board = await openBoard({ storage: shared });
  const { body } = await ask(board, '/burst', 'POST', { orders: 8, updates: 1 });
  const { ids } = body as { ids: string[] };
  expect(ids).toHaveLength(2);
  for (const id of ids) expect((await board.desk.settled(id)).state).toBe('applied');
});

test('tells what is in the lanes: of each update the beginning, and how far it has come', async () => {
  await using board = await openBoard();
  const done = await sendOne(board);
  board.service.faults.next({ type: 'stalled_headers' });
  const isSending = nextMessage(
    board,
    (message) => message.type === 'stored' && message.event.kind === 'attempt_started',
  );
  const [first, second] = [randomUUID(), randomUUID()];
  await board.desk.submit({ id: first, token: 'order-2', body: buildOrderUpdate() });
  await isSending;
  await board.desk.submit({ id: second, token: 'order-2', body: buildOrderUpdate() });
  const { events } = LaneEvents.parse((await ask(board, '/lanes')).body);
  expect(events.map(({ event }) => [event.kind, 'updateId' in event && event.updateId])).toEqual([
    ['update_queued', done.id],
    ['update_settled', done.id],
    ['update_queued', first],
    ['attempt_started', first],
    ['update_queued', second],
  ]);
  const routes = switchboardRoutes({ ...board, now: () => new Date(Date.now() + 61_000) });
  const { body } = await ask({ ...board, routes }, '/lanes');
  expect(body).toEqual({ events: events.slice(2) });
});

test('tells the attempts of the last minutes, oldest first', async () => {
  await using board = await openBoard();
  await sendOne(board);
  await set(board, 'failing');
  await sendOne(board, 'order-2');
  const measured = { at: expect.any(String), durationMs: expect.any(Number) };
  expect(await ask(board, '/attempts?minutes=1')).toEqual({
    status: 200,
    body: {
      attempts: [
        { ...measured, token: 'order-1', outcome: 'applied', status: 200 },
        { ...measured, token: 'order-2', outcome: 'unknown', status: 503 },
      ],
    },
  });
  const later = () => new Date(Date.now() + 6 * 60_000);
  const routes = switchboardRoutes({ ...board, now: later });
  expect(await ask({ ...board, routes }, '/attempts')).toEqual({ status: 200, body: { attempts: [] } });
});

test('an order service of another is neither made to fail nor sent bursts', async () => {
  await using board = await openBoard({ storage: shared, ownService: false });
  expect(await ask(board, '/')).toMatchObject({ body: { available: false, setting: { trouble: 'none' } } });
  const refused = { status: 409, body: { error: { code: 'not_own_service' } } };
  expect(await set(board, 'failing')).toMatchObject(refused);
  expect(await ask(board, '/burst', 'POST', { orders: 1, updates: 1 })).toMatchObject(refused);
  expect(await sendOne(board)).toMatchObject({ state: 'applied' });
});

test.each([
  ['/', 'PUT', { trouble: 'gone', percent: 100 }],
  ['/', 'PUT', { trouble: 'slow', percent: 0 }],
  ['/', 'PUT', { trouble: 'slow', percent: 50.5 }],
  ['/burst', 'POST', { orders: 9, updates: 1 }],
  ['/burst', 'POST', { orders: 1, updates: 21 }],
  ['/attempts?minutes=0', 'GET', undefined],
  ['/attempts?minutes=many', 'GET', undefined],
] as const)('refuses %s %s %j', async (path, method, body) => {
  const hub = createEventHub();
  const nobody = {} as never;
  const routes = switchboardRoutes({ storage: nobody, hub, desk: nobody, service: undefined });
  const answer = await routes.request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: 'bad_request' } });
});
