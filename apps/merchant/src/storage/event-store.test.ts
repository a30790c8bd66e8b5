import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { prepareStorageEngines, storageEngines } from '../../test/prepare-storage-engines.ts';
import type { StoredEvent } from '../contract/desk-event.ts';
import { openStorage } from './open-storage.ts';

const engines = prepareStorageEngines();

function endAttempt(token: string, attempt: number): StoredEvent {
  return {
    kind: 'attempt_ended',
    token,
    updateId: randomUUID(),
    attempt,
    outcome: 'applied',
    status: 200,
    durationMs: 1.5,
  };
}

test.for(storageEngines)(
  '%s: numbers events upwards, and gives those after a number',
  async (engine, context) => {
    const { events } = await engines.shared(engine, context);
    const token = randomUUID();
    const before = await events.lastSeq();
    const added = [];
    for (const attempt of [1, 2, 3]) added.push(await events.append(endAttempt(token, attempt)));

    expect(await events.after(before, 10)).toEqual(added);
    expect(await events.after(before, 2)).toEqual(added.slice(0, 2));
    expect(await events.lastSeq()).toBe(added[2]?.seq);
    expect(await events.ofOrder(token, 2)).toEqual(added.slice(1));
    expect(added.map(({ event }) => event)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
  },
);

test.for(storageEngines)(
  '%s: gives how far updates have come, some of each kind',
  async (engine, context) => {
    const place = await engines.place(engine, context);
    let at = 0;
    await using storage = await openStorage({ ...place, now: () => new Date(at) });
    const { events, updates, orders } = storage;
    await orders.add([{ token: 'order-1', body: { cart: {} } }]);
    const ids = Array.from({ length: 4 }, (): string => randomUUID());
    const [old = '', recent = '', open = ''] = ids;
    const report = { ok: true, outcome: 'applied', attempts: 2, at: '2026-01-01T00:00:00.000Z' } as const;
    for (const id of ids) await updates.accept({ id, token: 'order-1', body: { cart: {} } });
    for (const attempt of [1, 2, 3]) await updates.markSending(open, attempt);
    at = 1_000;
    await updates.settle(old, report);
    at = 2_000;
    await updates.settle(recent, report);

    const read = async (from: number, limit: number) =>
      (await events.ofLanes(new Date(from), limit)).map(({ event }) => [
        event.kind,
        'updateId' in event && ids.indexOf(event.updateId),
      ]);
    expect(await read(2_000, 10)).toEqual([
      ['update_queued', 1],
      ['update_queued', 2],
      ['update_queued', 3],
      ['attempt_started', 2],
      ['update_settled', 1],
    ]);
    expect(await events.ofLanes(new Date(2_000), 10)).toMatchObject({ 3: { event: { attempt: 3 } } });
    expect(await read(0, 1)).toEqual([
      ['update_queued', 1],
      ['update_queued', 2],
      ['attempt_started', 2],
      ['update_settled', 1],
    ]);
  },
);

test.for(storageEngines)('%s: gives the newest events of a kind since a moment', async (engine, context) => {
  const place = await engines.place(engine, context);
  let at = 0;
  await using storage = await openStorage({ ...place, now: () => new Date(at) });
  const { events } = storage;
  for (at of [1_000, 2_000, 3_000, 3_000]) await events.append(endAttempt('order-1', at));
  await events.append({ kind: 'attempt_started', token: 'order-1', updateId: randomUUID(), attempt: 1 });

  const since = async (from: number, limit: number) =>
    (await events.since('attempt_ended', new Date(from), limit)).map(({ seq, at }) => [seq, Date.parse(at)]);
  expect(await since(2_000, 10)).toEqual([
    [2, 2_000],
    [3, 3_000],
    [4, 3_000],
  ]);
  expect(await since(0, 2)).toEqual([
    [3, 3_000],
    [4, 3_000],
  ]);
  expect(await since(3_001, 10)).toEqual([]);
});

test.for(storageEngines)(
  '%s: shows events that are stored at once in the order of their numbers',
  async (engine, context) => {
    const { events } = await engines.shared(engine, context);
    const token = randomUUID();
    const start = await events.lastSeq();
    const seen: number[] = [];
    let isOver = false;
    const follow = async () => {
      for (let last = start; !isOver || last < (await events.lastSeq()); ) {
        const news = await events.after(last, 100);
        seen.push(...news.map(({ seq }) => seq));
        last = seen.at(-1) ?? last;
      }
    };
    const following = follow();
    const added = await Promise.all(
      Array.from({ length: 100 }, (_, attempt) => events.append(endAttempt(token, attempt))),
    );
    isOver = true;
    await following;

    expect(seen).toEqual(added.map(({ seq }) => seq).sort((one, other) => one - other));
  },
);
