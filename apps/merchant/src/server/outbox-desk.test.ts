import { randomUUID } from 'node:crypto';
import { createOrdersClient } from '@orders/client';
import { fromKysely, type Outbox } from '@orders/outbox';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { sql } from 'kysely';
import { expect, type TestContext, test, vi } from 'vitest';
import { openTestOutbox } from '../../test/open-test-outbox.ts';
import {
  prepareStorageEngines,
  type StorageEngine,
  storageEngines,
} from '../../test/prepare-storage-engines.ts';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { UpdateView } from '../contract/update-view.ts';
import { createEventHub } from './event-hub.ts';
import { createOutboxDesk } from './outbox-desk.ts';

const engines = prepareStorageEngines();

const lost = { type: 'reset_after_applying' } as const;
const busy = { type: 'status', status: 429, headers: { 'retry-after': '2' } } as const;
const refused = { type: 'status', status: 409 } as const;

/** A desk that sends through an outbox, over a storage that the tests of the file share, with an order of its own. */
async function openScene(engine: StorageEngine, context: TestContext) {
  const storage = await engines.shared(engine, context);
  const token = randomUUID();
  const service = await startMockOrderService({ orders: [token] });
  await storage.orders.add([{ token, body: { cart: {} } }]);
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const outbox = await openTestOutbox({ storage, orders });
  const hub = createEventHub();
  const told: NumberedEvent[] = [];
  hub.subscribe((message) => message.type === 'stored' && told.push(message));
  const desk = await createOutboxDesk({ storage, hub, outbox });
  return {
    storage,
    token,
    service,
    orders,
    outbox,
    hub,
    desk,
    told,
    update: (order_id: string) => ({ id: randomUUID(), token, body: buildOrderUpdate({ order_id }) }),
    applied: () => service.appliedUpdates(token).map(({ order_id }) => order_id),
    /** Waits until the desk is told of an update as it is asked for. */
    until: (id: string, fits: (update: UpdateView) => boolean): Promise<UpdateView> =>
      vi.waitFor(
        async () => {
          const found = await storage.updates.find(id);
          if (!(found && fits(found))) throw new Error(`It did not come to this: ${found?.state}.`);
          return found;
        },
        { timeout: 15_000, interval: 20 },
      ),
    async [Symbol.asyncDispose]() {
      await desk.close();
      await orders.close();
      await service.close();
    },
  };
}

const summarise = ({ event }: NumberedEvent) => {
  if (event.kind === 'attempt_started') return `started ${event.attempt}`;
  if (event.kind === 'attempt_ended')
    return `ended ${event.attempt}: ${event.outcome}${event.isRetried ? ', to be sent again' : ''}`;
  return 'update' in event ? `${event.kind} ${event.update.state}` : event.kind;
};

const summariseOf = (id: string) => (numbered: NumberedEvent) =>
  'updateId' in numbered.event && numbered.event.updateId === id ? summarise(numbered) : undefined;

test.for(storageEngines)(
  '%s: stores each step of an update that is retried, in order, and its response at the end',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { desk, service, storage, token } = scene;
    service.faults.next(busy, { token });
    const { id, body } = scene.update('mine');
    expect(await desk.submit({ id, token, body })).toMatchObject({ state: 'queued', sentThrough: 'outbox' });
    expect(await desk.settled(id)).toMatchObject({
      state: 'applied',
      report: { ok: true, attempts: 2, status: 200, receipt: { attempts: [{ status: 200 }] } },
    });
    const events = await storage.events.ofOrder(token, 100);
    expect(events.map(summarise)).toEqual([
      'update_queued queued',
      'started 1',
      'ended 1: rejected, to be sent again',
      'started 2',
      'ended 2: applied',
      'update_settled applied',
    ]);
    expect(events[2]?.event).toMatchObject({ error: 'http_error', durationMs: expect.any(Number) });
    expect(scene.told.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
    expect((await storage.orders.find(token))?.body).toEqual(body);
    expect(await desk.submit({ id, token, body })).toMatchObject({ id, state: 'applied' });
    expect(scene.applied()).toEqual(['mine']);
  },
);

test.for(storageEngines)(
  '%s: accepts an update in the desk and in the outbox, or in neither',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { desk, outbox, storage, token } = scene;
    const taken = scene.update('taken');
    await storage.database
      .transaction()
      .execute((transaction) =>
        outbox.enqueue(token, { cart: {} }, { id: taken.id, tx: fromKysely(transaction) }),
      );
    await expect(desk.submit(taken)).rejects.toMatchObject({ name: 'UpdateConflict', code: 'id_taken' });
    expect(await storage.updates.find(taken.id)).toBeUndefined();
    expect(await storage.events.ofOrder(token, 10)).toEqual([]);

    const stranger = { ...scene.update('stranger'), token: randomUUID() };
    await expect(desk.submit(stranger)).rejects.toMatchObject({ code: 'no_such_order' });
    // What is stored last, after the outbox has it, fails.
    const undone = scene.update('undone');
    const { database } = storage;
    await sql`alter table events add constraint full_disk check (token <> ${sql.lit(token)}) not valid`.execute(
      database,
    );
    await expect(desk.submit(undone)).rejects.toThrow('full_disk');
    await sql`alter table events drop constraint full_disk`.execute(database);
    for (const { id } of [stranger, undone]) {
      expect(await outbox.get(id)).toBeUndefined();
      expect(await storage.updates.find(id)).toBeUndefined();
    }
    // The tests share the storage: the next one's worker would send what this one leaves, and meet its faults.
    await outbox.drain();
  },
);

test.for(storageEngines)(
  '%s: an unknown outcome needs review, and the same update is sent again in its place, or discarded',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { desk, service, storage, token } = scene;
    service.faults.next([lost], { token });
    const first = scene.update('first');
    const second = scene.update('second');
    await desk.submit(first);
    await desk.submit(second);
    expect(await desk.settled(first.id)).toMatchObject({
      state: 'unknown',
      decision: null,
      report: { ok: false, attempts: 1, error: { code: 'connection_error' } },
    });
    expect((await storage.updates.listUndecided(100)).map(({ id }) => id)).toContain(first.id);
    const inLane = async () =>
      (await storage.events.ofLanes(new Date(Date.now() + 60_000), 100))
        .map(summariseOf(first.id))
        .filter((told) => told !== undefined);
    expect(await inLane()).toEqual(['update_queued queued', 'update_settled unknown']);
    expect(
      (await storage.updates.listWaiting(100)).filter(({ update }) => update.token === token),
    ).toMatchObject([{ update: { id: second.id }, attempts: 0, waitsFor: 'decision' }]);

    service.faults.next([lost], { token });
    const both = await Promise.all([
      desk.decide(first.id, 'sent_again', 0),
      desk.decide(first.id, 'discarded', 0),
    ]);
    expect(both).toMatchObject([{ id: first.id, round: 1, report: null, decision: null }, undefined]);
    const again = await scene.until(first.id, ({ report }) => report !== null);
    expect(again).toMatchObject({ state: 'unknown', round: 1, report: { attempts: 2 } });
    expect(await desk.decide(first.id, 'discarded')).toMatchObject({
      state: 'unknown',
      decision: 'discarded',
    });
    expect(await desk.decide(first.id, 'sent_again')).toBeUndefined();
    await desk.settled(second.id);
    expect(await inLane()).toEqual([]);
    const kinds = (await storage.events.ofLanes(new Date(0), 100)).map(summariseOf(first.id));
    expect(kinds).toContain('update_decided unknown');
    expect(scene.applied()).toEqual(['first', 'first', 'second']);
    expect((await storage.events.ofOrder(token, 100)).map(summarise)).toEqual([
      'update_queued queued',
      'update_queued queued',
      'started 1',
      'ended 1: unknown',
      'update_settled unknown',
      'update_reopened queued',
      'started 2',
      'ended 2: unknown',
      'update_settled unknown',
      'update_decided unknown',
      'started 1',
      'ended 1: applied',
      'update_settled applied',
    ]);
  },
);

test.for(storageEngines)(
  '%s: a rejected update waits for a decision, and its order continues',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { desk, service, storage, token } = scene;
    service.faults.next([refused, refused], { token });
    const rejected = scene.update('rejected');
    const other = scene.update('other');
    const later = scene.update('later');
    for (const update of [rejected, other, later]) await desk.submit(update);
    expect(await desk.settled(later.id)).toMatchObject({ state: 'applied' });
    expect(await desk.settled(rejected.id)).toMatchObject({ state: 'rejected', report: { status: 409 } });
    const summary = (await storage.orders.list()).find((order) => order.token === token);
    expect(summary?.undecided).toBe(2);

    expect(await desk.decide(other.id, 'discarded')).toMatchObject({
      state: 'rejected',
      decision: 'discarded',
    });
    await desk.decide(rejected.id, 'sent_again');
    expect(await scene.until(rejected.id, ({ report }) => report !== null)).toMatchObject({
      state: 'applied',
    });
    // It went out after the later one, so it is what the order holds now.
    expect(scene.applied()).toEqual(['later', 'rejected']);
    expect((await storage.orders.find(token))?.body).toEqual(rejected.body);
  },
);

test.for(storageEngines)(
  '%s: mirrors once what changed while the desk was closed, also where others decided',
  async (engine, context) => {
    const { id, token, storage, service } = await (async () => {
      const scene = await openScene(engine, context);
      scene.service.faults.next([lost], { token: scene.token });
      const update = scene.update('kept');
      await scene.desk.submit(update);
      await scene.desk.settled(update.id);
      await scene.desk.close();
      return { ...scene, ...update };
    })();
    const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const outbox = await openTestOutbox({ storage, orders });
    await outbox.start();
    await outbox.retry(id);
    await outbox.drain();
    await outbox.close();

    const before = (await storage.events.ofOrder(token, 100)).length;
    const reopened = await openTestOutbox({ storage, orders });
    const desk = await createOutboxDesk({ storage, hub: createEventHub(), outbox: reopened });
    await vi.waitFor(async () => expect((await storage.updates.find(id))?.state).toBe('applied'), {
      timeout: 10_000,
    });
    expect(await storage.mirror.readCursor()).toMatch(/^\d+:/);
    await desk.close();
    const after = await storage.events.ofOrder(token, 100);
    expect(after.slice(before).map(summarise)).toEqual([
      'update_reopened queued',
      'started 2',
      'ended 2: applied',
      'update_settled applied',
    ]);
    expect(await storage.updates.find(id)).toMatchObject({ state: 'applied', round: 1 });
    await orders.close();
    await service.close();
  },
);

test.for(storageEngines)(
  '%s: says that an update may have been applied that others sent again and then discarded',
  async (engine, context) => {
    const { desk, service, storage, orders, ...scene } = await openScene(engine, context);
    const { id, token, body } = scene.update('first');
    service.faults.next([lost], { token });
    await desk.submit({ id, token, body });
    expect(await desk.settled(id)).toMatchObject({ state: 'unknown' });
    await desk.close();
    const outbox = await openTestOutbox({ storage, orders });
    await outbox.retry(id);
    await outbox.discard(id);
    await outbox.close();
    const again = await createOutboxDesk({
      storage,
      hub: createEventHub(),
      outbox: await openTestOutbox({ storage, orders }),
    });
    expect(await scene.until(id, ({ decision }) => decision !== null)).toMatchObject({
      state: 'unknown',
      decision: 'discarded',
    });
    expect(service.appliedUpdates(token)).toHaveLength(1);
    await again.close();
    await orders.close();
    await service.close();
  },
);

test.for(storageEngines)(
  '%s: leaves to the outbox what it has when it closes, and settles only what the client had',
  async (engine, context) => {
    const scene = await openScene(engine, context);
    const { desk, service, storage, token } = scene;
    // The worker sends only after an echo. A 429 would pause the outbox that the tests of this file share.
    const first = scene.update('first');
    await desk.submit(first);
    await desk.settled(first.id);
    await service.close();
    const waiting = scene.update('waiting');
    await desk.submit(waiting);
    await scene.until(waiting.id, ({ state }) => state === 'sending');
    await scene[Symbol.asyncDispose]();
    const own = { ...scene.update('own') };
    await storage.updates.accept(own);
    expect((await storage.updates.recover()).map(({ update }) => update.id)).toEqual([own.id]);
    expect(await storage.updates.countInOutbox()).toBeGreaterThanOrEqual(1);
    expect(await storage.updates.find(waiting.id)).toMatchObject({ state: 'sending', report: null });
    await expect(desk.submit(scene.update('late'))).rejects.toThrow();
    const [kept] = (await storage.updates.listWaiting(100)).filter(({ update }) => update.token === token);
    expect(kept?.update.id).toBe(waiting.id);
  },
);

test.for(storageEngines)(
  '%s: sends through the outbox what an earlier run left unknown without one',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { desk, storage } = scene;
    const old = scene.update('old');
    const other = scene.update('other');
    for (const update of [old, other]) {
      await storage.updates.accept(update);
      await storage.updates.markSending(update.id, 1);
    }
    await storage.updates.recover();
    expect(await desk.decide(other.id, 'discarded')).toMatchObject({ decision: 'discarded' });
    expect(await desk.decide(old.id, 'sent_again')).toMatchObject({
      decision: 'sent_again',
      state: 'unknown',
    });
    const [again] = await storage.updates.listOf(old.token, 1);
    expect(again).toMatchObject({ repeats: old.id, sentThrough: 'outbox' });
    expect(await desk.settled(again?.id ?? '')).toMatchObject({ state: 'applied' });
    expect(scene.applied()).toEqual(['old']);
  },
);

test.for(storageEngines)('%s: mirrors the outbox again after its storage failed', async (engine, context) => {
  await using scene = await openScene(engine, context);
  const { storage, token } = scene;
  await scene.desk.close();
  let failures = 0;
  const warnings: string[] = [];
  const mirror = {
    ...storage.mirror,
    take(changes: Parameters<typeof storage.mirror.take>[0]) {
      failures += 1;
      return failures <= 2 ? Promise.reject(new Error('body: {}')) : storage.mirror.take(changes);
    },
  };
  const outbox: Outbox = await openTestOutbox({ storage, orders: scene.orders });
  const desk = await createOutboxDesk({
    storage: { updates: storage.updates, mirror },
    hub: scene.hub,
    outbox,
    warn: (line) => warnings.push(line),
  });
  const update = scene.update('kept');
  await desk.submit(update);
  expect(await desk.settled(update.id)).toMatchObject({ state: 'applied', token });
  expect(warnings).toEqual(['The state of updates in the outbox could not be read or stored yet (Error).']);
  await desk.close();
});

test.for(storageEngines)(
  '%s: leaves to a person what the outbox does not know any more',
  async (engine, context) => {
    await using scene = await openScene(engine, context);
    const { hub, storage } = scene;
    await scene.desk.close();
    const update = scene.update('forgotten');
    await storage.updates.accept(update, async () => {});
    const outbox = await openTestOutbox({ storage, orders: scene.orders });
    const desk = await createOutboxDesk({ storage, hub, outbox });
    expect(await desk.settled(update.id)).toMatchObject({
      state: 'unknown',
      report: { error: { code: 'not_in_outbox' } },
    });
    expect(await desk.decide(update.id, 'sent_again')).toMatchObject({ decision: 'sent_again' });
    const [again] = await storage.updates.listOf(update.token, 1);
    expect(await desk.settled(again?.id ?? '')).toMatchObject({ state: 'applied', repeats: update.id });
    await desk.close();
  },
);
