import { randomUUID } from 'node:crypto';
import type { OrderUpdate } from '@orders/schema';
import { buildOrderUpdate } from '@orders/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, type TestContext, test } from 'vitest';
import {
  prepareStorageEngines,
  type StorageEngine,
  storageEngines,
} from '../../test/prepare-storage-engines.ts';
import type { Outcome, UpdateReport } from '../contract/update-report.ts';
import { UpdateConflict } from './update-conflict.ts';

const engines = prepareStorageEngines();

function report(outcome: Outcome, data: unknown = { id: 1 }): UpdateReport {
  return { ok: outcome === 'applied', outcome, attempts: 1, at: '2026-01-02T03:04:05.678Z', data };
}

/** A storage with an order of this test alone. */
async function openOrder(engine: StorageEngine, context: TestContext) {
  const storage = await engines.shared(engine, context);
  const token = randomUUID();
  await storage.orders.add([{ token, body: { cart: {} } }]);
  const accept = async (body: OrderUpdate = buildOrderUpdate()) => {
    const id = randomUUID();
    await storage.updates.accept({ id, token, body });
    return id;
  };
  return { ...storage, token, accept };
}

test.for(storageEngines)('%s: accepts an update once, however often it is asked', async (engine, context) => {
  const { updates, events, token } = await openOrder(engine, context);
  const update = { id: randomUUID(), token, body: buildOrderUpdate({ order_id: 'm–1' }) };
  const first = await updates.accept(update);

  expect(first.update).toEqual({
    id: update.id,
    token,
    state: 'queued',
    bodyBytes: Buffer.byteLength(JSON.stringify(update.body)),
    createdAt: first.event?.at,
    report: null,
    decision: null,
    repeats: null,
    sentThrough: 'client',
    round: 0,
  });
  expect(first.event?.event).toEqual({
    kind: 'update_queued',
    token,
    updateId: update.id,
    update: first.update,
  });
  expect(await updates.accept(update)).toEqual({ update: first.update });
  const twice = { ...update, id: randomUUID() };
  const both = await Promise.all([updates.accept(twice), updates.accept(twice)]);
  expect(both.filter(({ event }) => event)).toHaveLength(1);
  expect(await events.ofOrder(token, 10)).toHaveLength(2);
  await expect(updates.accept({ ...update, body: buildOrderUpdate() })).rejects.toThrow(
    new UpdateConflict('id_taken'),
  );
});

test.for(storageEngines)('%s: refuses an id that another order has', async (engine, context) => {
  const one = await openOrder(engine, context);
  const other = await openOrder(engine, context);
  const id = await one.accept({ cart: {} });
  await expect(other.updates.accept({ id, token: other.token, body: { cart: {} } })).rejects.toThrow(
    expect.objectContaining({ name: 'UpdateConflict', code: 'id_taken' }),
  );
});

test.for(storageEngines)('%s: keeps a body to the byte', async (engine, context) => {
  const { updates, database, accept } = await openOrder(engine, context);
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\0', '\ud800', '\udc00', 'é', '😀', '{') });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' })),
      text,
      async (extra, odd) => {
        const body = JSON.parse(
          JSON.stringify({ [odd]: odd, z: 1, ...extra, cart: { note: odd, a: [odd] } }),
        );
        const id = await accept(body);
        const found = await updates.find(id);
        expect(JSON.stringify(found?.body)).toBe(JSON.stringify(body));
        const { rows } = await sql<{
          text: string;
        }>`select body as text from updates where id = ${id}`.execute(database);
        expect(rows[0]?.text).toBe(JSON.stringify(body));
      },
    ),
    { numRuns: 50 },
  );
});

test.for(storageEngines)('%s: keeps a body and an answer that are nested deep', async (engine, context) => {
  const { updates, accept } = await openOrder(engine, context);
  const deep = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000));
  const id = await accept({ cart: {}, deep } as OrderUpdate);
  const { update } = await updates.settle(id, report('applied', deep));
  expect(JSON.stringify(update.report?.data)).toBe(JSON.stringify(deep));

  const other = await accept();
  const deeper = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const kept = await updates.settle(other, report('applied', deeper));
  const { data: _, ...withoutAnswer } = report('applied');
  expect(kept.update).toMatchObject({ state: 'applied' });
  expect(kept.update.report).toEqual(withoutAnswer);
});

test.for(storageEngines)('%s: marks an update as sending before each attempt', async (engine, context) => {
  const { updates, token, accept } = await openOrder(engine, context);
  const id = await accept();
  const first = await updates.markSending(id, 1);
  expect(first.event).toEqual({ kind: 'attempt_started', token, updateId: id, attempt: 1 });
  expect(await updates.find(id)).toMatchObject({ state: 'sending', report: null });
  expect((await updates.markSending(id, 2)).seq).toBeGreaterThan(first.seq);

  await updates.settle(id, report('rejected'));
  await expect(updates.markSending(id, 3)).rejects.toThrow(new UpdateConflict('already_settled'));
  await expect(updates.markSending(randomUUID(), 1)).rejects.toThrow(new UpdateConflict('no_such_update'));
});

test.for(storageEngines)(
  '%s: settles an update once, and says the same when told the same',
  async (engine, context) => {
    const { updates, events, token, accept } = await openOrder(engine, context);
    const id = await accept();
    const settled = await updates.settle(id, report('applied'));
    expect(settled.update).toMatchObject({ state: 'applied', report: report('applied') });
    expect(settled.event.event).toEqual({
      kind: 'update_settled',
      token,
      updateId: id,
      update: settled.update,
    });

    expect(await updates.settle(id, report('applied'))).toEqual(settled);
    await expect(updates.settle(id, report('unknown'))).rejects.toThrow(
      new UpdateConflict('already_settled'),
    );
    await expect(updates.settle(randomUUID(), report('unknown'))).rejects.toThrow(
      new UpdateConflict('no_such_update'),
    );
    expect(await events.ofOrder(token, 10)).toHaveLength(2);
  },
);

test.for(storageEngines)(
  '%s: makes the newest applied update the body of the order',
  async (engine, context) => {
    const { orders, updates, token, accept } = await openOrder(engine, context);
    const [oldest, older, newer, newest] = [
      await accept({ order_id: 'oldest', cart: {} }),
      await accept({ order_id: 'older', cart: {} }),
      await accept({ order_id: 'newer', cart: {} }),
      await accept({ order_id: 'newest', cart: {} }),
    ];
    const settle = async (id: string, outcome: Outcome) => {
      await updates.settle(id, report(outcome));
      return (await orders.find(token))?.body.order_id;
    };
    expect(await settle(older, 'applied')).toBe('older');
    expect(await settle(newest, 'rejected')).toBe('older');
    expect(await settle(newer, 'applied')).toBe('newer');
    expect(await settle(oldest, 'applied')).toBe('newer');
  },
);

test.for(storageEngines)(
  '%s: takes one decision on an unknown outcome, and on no other',
  async (engine, context) => {
    const { updates, token, accept } = await openOrder(engine, context);
    const id = await accept();
    expect(await updates.decide(id, 'discarded')).toBeUndefined();
    await updates.settle(id, report('unknown'));

    const both = await Promise.all([updates.decide(id, 'discarded'), updates.decide(id, 'discarded')]);
    const [decided, ...others] = both.filter((change) => change !== undefined);
    expect(others).toEqual([]);
    expect(await updates.repeat(id, randomUUID())).toBeUndefined();
    expect(decided?.update).toMatchObject({ state: 'unknown', decision: 'discarded' });
    expect(decided?.event.event).toEqual({
      kind: 'update_decided',
      token,
      updateId: id,
      decision: 'discarded',
      update: decided?.update,
    });
    expect(await updates.listOf(token, 10)).toEqual([decided?.update]);
    for (const unknown of [randomUUID(), 'with\0nul']) {
      expect(await updates.decide(unknown, 'discarded')).toBeUndefined();
      expect(await updates.repeat(unknown, randomUUID())).toBeUndefined();
      expect(await updates.find(unknown)).toBeUndefined();
    }
  },
);

test.for(storageEngines)(
  '%s: sends again under a new id, and decides, in one step',
  async (engine, context) => {
    const { updates, events, token, accept } = await openOrder(engine, context);
    const body = { z: '\0', cart: { b: 1, a: 2 } } as OrderUpdate;
    const id = await accept(body);
    await updates.settle(id, report('unknown'));

    await expect(updates.repeat(id, id)).rejects.toThrow(new UpdateConflict('id_taken'));
    expect(await updates.find(id)).toMatchObject({ decision: null });

    const newId = randomUUID();
    const repeated = await updates.repeat(id, newId);
    expect(repeated?.decided.update).toMatchObject({ id, decision: 'sent_again' });
    expect(repeated?.queued.update).toMatchObject({ id: newId, token, state: 'queued', repeats: id });
    expect(JSON.stringify(repeated?.queued.body)).toBe(JSON.stringify(body));
    expect((await events.ofOrder(token, 2)).map(({ event }) => event.kind)).toEqual([
      'update_decided',
      'update_queued',
    ]);
    expect(await updates.repeat(id, randomUUID())).toBeUndefined();
  },
);

test.for(storageEngines)(
  '%s: lists the latest of an order, and the oldest that wait for a person',
  async (engine, context) => {
    const { updates, token, accept } = await openOrder(engine, context);
    const ids: readonly string[] = [await accept(), await accept(), await accept()];
    for (const id of ids) await updates.settle(id, report('unknown'));
    expect((await updates.listOf(token, 2)).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const waiting = (await updates.listUndecided(1_000)).map(({ id }) => id);
    expect(waiting.filter((id) => ids.includes(id))).toEqual(ids);
    expect(await updates.listUndecided(1)).toHaveLength(1);
  },
);
