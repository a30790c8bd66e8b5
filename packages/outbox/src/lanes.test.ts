import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { onBoth, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import type { Sql } from './store/sql.ts';

function skusApplied({ service }: Scene, token: string): readonly (string | undefined)[] {
  return service.appliedUpdates(token).map(({ cart }) => cart.items?.[0]?.sku);
}

/** Many clients of the database at once, each with transactions of its own. */
async function withClients(
  scene: Scene,
  count: number,
  use: (sql: Sql, place: number) => Promise<void>,
): Promise<void> {
  const { engine, pglite, postgres } = scene;
  const places = Array.from({ length: count }, (_, place) => place);
  if (engine === 'PGlite') {
    await Promise.all(places.map((place) => use(pglite, place)));
    return;
  }
  const clients = places.map(() => new pg.Client(postgres.connectionString));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    await Promise.all(clients.map((client, place) => use(client, place)));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

onBoth('applies the updates of each order in the order of acceptance', async (scene) => {
  const { open, service } = scene;
  const outbox = await open();
  await outbox.work();
  const tokens = service.orders.map(({ token }) => token);
  const ids = await Promise.all(
    Array.from({ length: 240 }, (_, number) => {
      const id = randomUUID();
      return outbox.enqueue(
        tokens[(number * 7) % tokens.length] ?? '',
        { cart: { items: [{ sku: id }] } },
        { id },
      );
    }),
  );
  await outbox.drain();
  expect(service.ledger).toHaveLength(ids.length);
  for (const token of tokens) {
    // Statements of one process may overtake each other on the way to the database: it decides.
    const history = await outbox.history(token);
    expect(skusApplied(scene, token)).toEqual(history.toReversed().map(({ id }) => id));
    expect(new Set(history.map(({ state }) => state))).toEqual(new Set(['applied']));
  }
});

onBoth('keeps the order of transactions that commit late, and drops those that are undone', async (scene) => {
  const { open, service, schema } = scene;
  const outboxes = [await open(), ...(scene.engine === 'PostgreSQL' ? [await open()] : [])];
  for (const outbox of outboxes) await outbox.work();
  const [outbox] = outboxes as [(typeof outboxes)[0]];
  const tokens = service.orders.map(({ token }) => token).slice(0, 5);
  const accepted = new Map<string, string[]>(tokens.map((token) => [token, []]));
  await withClients(scene, 6, async (sql, place) => {
    for (let round = 0; round < 15; round++) {
      const token = tokens[(place * 3 + round * round) % tokens.length] ?? '';
      const id = randomUUID();
      const body = { cart: { items: [{ sku: id }] } };
      const isUndone = (place + round) % 7 === 0;
      const work = async (tx: Sql): Promise<void> => {
        await outbox.enqueue(token, body, { id, tx });
        // The lane is locked from here on, so this is the order of acceptance.
        if (!isUndone) accepted.get(token)?.push(id);
        await delay((place + round) % 4);
      };
      if ('transaction' in sql) {
        const transaction = scene.pglite.transaction(async (tx) => {
          await work(tx);
          if (isUndone) await tx.rollback();
        });
        await transaction;
      } else {
        await sql.query('begin');
        await work(sql);
        await sql.query(isUndone ? 'rollback' : 'commit');
      }
    }
  });
  await outbox.drain();
  for (const token of tokens) expect(skusApplied(scene, token)).toEqual(accepted.get(token));
  const { rows } = await scene.sql.query(`select distinct state from ${schema}.lanes`);
  expect(rows).toEqual([{ state: 'idle' }]);
});

onPostgres(
  'stores an outcome once a transaction lets go of the lane, and works on others meanwhile',
  async (scene) => {
    const { open, service, postgres, token, reaches } = scene;
    const outbox = await open();
    const other = service.orders[1]?.token ?? '';
    const client = new pg.Client(postgres.connectionString);
    await client.connect();
    try {
      service.faults.next({ type: 'latency', ms: 300 }, { token });
      await outbox.work();
      const first = await outbox.enqueue(token, step(1));
      await reaches(outbox, first, 'sending');
      await client.query('begin');
      const second = await outbox.enqueue(token, step(2), { tx: client });
      await until('the service has answered', () => service.journal[0]?.respondedAt !== undefined);
      const beside = await outbox.enqueue(other, step(3));
      await reaches(outbox, beside, 'applied');
      expect(await outbox.status(first)).toMatchObject({ state: 'sending' });
      await client.query('commit');
      await reaches(outbox, second, 'applied');
      expect(stepsApplied(service, token)).toEqual([1, 2]);
    } finally {
      await client.end();
    }
  },
);

onPostgres('is not blocked by a long transaction that supersedes what is about to be sent', async (scene) => {
  const { open, service, postgres, token, reaches } = scene;
  const outbox = await open({ latestWins: true });
  const others = service.orders.slice(1).map((order) => order.token);
  const client = new pg.Client(postgres.connectionString);
  await client.connect();
  try {
    const old = await outbox.enqueue(token, step(1));
    await client.query('begin');
    const fresh = await outbox.enqueue(token, step(2), { tx: client });
    await outbox.work();
    const ids = await Promise.all(others.map((other) => outbox.enqueue(other, step(3))));
    await Promise.all(ids.map((id) => reaches(outbox, id, 'applied')));
    await client.query('commit');
    await reaches(outbox, fresh, 'applied');
    expect(await outbox.status(old)).toMatchObject({ state: 'discarded', code: 'superseded' });
    expect(stepsApplied(service, token)).toEqual([2]);
  } finally {
    await client.end();
  }
});

onBoth('sends only the newest update where that was chosen, and drops none on its way', async (scene) => {
  const { open, service, token, reaches } = scene;
  const outbox = await open({ latestWins: true });
  const unsent = [];
  for (const number of [1, 2, 3]) unsent.push(await outbox.enqueue(token, step(number)));
  service.faults.next({ type: 'latency', ms: 200 }, { token });
  await outbox.work();
  await reaches(outbox, unsent[2] ?? '', 'sending');
  for (const number of [4, 5, 6]) unsent.push(await outbox.enqueue(token, step(number)));
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3, 6]);
  const states = await Promise.all(unsent.map(async (id) => (await outbox.status(id))?.code ?? 'applied'));
  expect(states).toEqual(['superseded', 'superseded', 'applied', 'superseded', 'superseded', 'applied']);
});

onBoth('works on no more orders at once than it may', async ({ open, service, sql, schema }) => {
  const outbox = await open({ concurrency: 3 });
  service.faults.always({ type: 'latency', ms: 30 });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  let most = 0;
  await outbox.work();
  await until('all is applied', async () => {
    const { rows } = await sql.query(
      `select count(*)::integer as count from ${schema}.updates where state = 'sending'`,
    );
    most = Math.max(most, (rows[0] as { count: number }).count);
    return service.ledger.length === service.orders.length;
  });
  expect(most).toBeLessThanOrEqual(3);
  const busy = service.journal.map(
    ({ at }) => service.journal.filter((o) => o.at <= at && (o.respondedAt ?? 0) > at).length,
  );
  expect(Math.max(...busy)).toBeLessThanOrEqual(3);
});
