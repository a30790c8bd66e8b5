import pg from 'pg';
import { expect } from 'vitest';
import { onBoth, onPostgres, step, until } from '../test/scene.ts';
import type { OutboxEvent } from './events.ts';

/** Reads events into a list until the signal fires; `ended` resolves then. */
function gatherEvents(events: AsyncIterable<OutboxEvent>): { list: OutboxEvent[]; ended: Promise<void> } {
  const list: OutboxEvent[] = [];
  const ended = (async () => {
    for await (const event of events) list.push(event);
  })();
  return { list, ended };
}

onBoth('tells what happens to updates, each thing once and in order', async ({ open, service, token }) => {
  const outbox = await open();
  const before = await outbox.enqueue(token, step(0));
  await outbox.discard(before);
  const stop = new AbortController();
  const { list: told, ended } = gatherEvents(outbox.events({ signal: stop.signal }));
  const probed = service.orders[1]?.token ?? '';
  await until('it reads', async () => {
    await outbox.discard(await outbox.enqueue(probed, step(0)));
    return told.length > 0;
  });
  service.faults.next([{ type: 'status', status: 500 }, { type: 'none' }, { type: 'status', status: 400 }]);
  const first = await outbox.enqueue(token, step(1));
  const second = await outbox.enqueue(token, step(2));
  await outbox.work();
  await outbox.drain();
  await outbox.retry(first);
  await outbox.drain();
  const ofToken = (): OutboxEvent[] => told.filter((event) => event.token === token);
  await until('all was told', () => ofToken().length >= 9);
  stop.abort();
  await ended;
  const list = ofToken();
  const kindsOf = (id: string): string[] =>
    list.flatMap(({ updateId, kind, detail }) =>
      updateId === id ? [detail ? `${kind} ${detail}` : kind] : [],
    );
  expect(kindsOf(first)).toEqual(['queued', 'sending', 'parked http_error', 'retried', 'sending', 'applied']);
  expect(kindsOf(second)).toEqual(['queued', 'sending', 'rejected http_error']);
  expect(list).toHaveLength(9);
  const seqs = list.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(list.every(({ at }) => at instanceof Date)).toBe(true);

  const rest = gatherEvents(outbox.events({ after: seqs[4] ?? 0 }));
  await until('the rest was told', () => rest.list.length >= 4);
  expect(rest.list).toEqual(list.slice(5));
  const all = gatherEvents(outbox.events({ after: 0 }));
  await until('everything was told', () => all.list.length >= 11);
  expect(all.list.slice(0, 2)).toMatchObject([
    { updateId: before },
    { kind: 'discarded', detail: 'decided' },
  ]);
  await outbox.close();
  await Promise.all([rest.ended, all.ended]);
});

onPostgres('passes over no event of a transaction that commits late', async (scene) => {
  const { open, openStore, service, postgres } = scene;
  const outbox = await open();
  const store = await openStore();
  let snapshots = 0;
  const elsewhere = await open({
    store: {
      ...store,
      async query(text, values) {
        const result = await store.query(text, values);
        if (text.includes('pg_current_snapshot()')) snapshots++;
        return result;
      },
    },
  });
  const tokens = service.orders.map(({ token }) => token);
  const clients = [1, 2, 3].map(() => new pg.Client(postgres.connectionString));
  const [early, late, undone] = clients as [pg.Client, pg.Client, pg.Client];
  await Promise.all(clients.map((client) => client.connect()));
  try {
    // The transaction with the lower number writes the later event.
    await early.query('begin');
    await early.query('select pg_current_xact_id()');
    await late.query('begin');
    await undone.query('begin');
    const stop = new AbortController();
    const fromStart = gatherEvents(outbox.events({ after: 0, signal: stop.signal }));
    const ids: string[] = [];
    ids.push(await outbox.enqueue(tokens[0] ?? '', step(1), { tx: late }));
    // This one begins while an earlier number is under way.
    const fromNow = gatherEvents(elsewhere.events({ signal: stop.signal }));
    await until('it has begun', () => snapshots > 0);
    await outbox.enqueue(tokens[1] ?? '', step(2), { tx: undone });
    ids.push(await outbox.enqueue(tokens[2] ?? '', step(3), { tx: early }));
    await early.query('commit');
    ids.push(await outbox.enqueue(tokens[3] ?? '', step(4)));
    await undone.query('rollback');
    await outbox.enqueue(tokens[4] ?? '', step(5)).then((id) => ids.push(id));
    // Long enough for a reader that does not wait to go wrong.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(fromStart.list).toEqual([]);
    await late.query('commit');
    await until('all was told', () => fromStart.list.length >= 4 && fromNow.list.length >= 4);
    expect(fromStart.list.map(({ updateId }) => updateId)).toEqual(ids);
    expect(fromNow.list).toEqual(fromStart.list);
    stop.abort();
    await Promise.all([fromStart.ended, fromNow.ended]);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
});
