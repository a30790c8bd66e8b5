import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { createOutbox, type Outbox, postgresStore } from '@orders/outbox';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { onPostgres, step, stepsApplied, until } from '../../../packages/outbox/test/scene.ts';
import { findPgBouncer, startPooler } from './pooler.ts';

interface Shop {
  readonly schema: string;
  readonly service: MockOrderService;
  readonly client: OrdersClient;
  readonly outbox: Outbox;
}

const rounds = 8;
const perRound = 10;

const pgBouncer = findPgBouncer();
const onPooler = pgBouncer ? onPostgres : (name: string) => test.skip(name);

for (const preparedStatements of pgBouncer?.followsStatements ? [0, 200] : [undefined]) {
  const detail = preparedStatements === undefined ? '' : `, which follows ${preparedStatements} statements`;
  onPooler(`two outboxes behind a transaction pooler${detail} keep to their schemas`, async (scene) => {
    const { postgres, sql, newSchema: schema, warnings } = scene;
    if (!pgBouncer) return;
    await using pooler = await startPooler(pgBouncer, postgres.connectionString, {
      // Fewer connections than the outboxes have, so they share each.
      poolSize: 4,
      preparedStatements,
    });
    const logs: string[] = [];
    const shops: Shop[] = [];
    for (const name of ['one', 'two']) {
      const service = await startMockOrderService({ orders: 10 });
      const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
      const outbox = await createOutbox({
        client,
        store: postgresStore({ connectionString: pooler.connectionString }),
        databaseSchema: `${schema}_${name}`,
        log: (message) => logs.push(message),
        warn: (message) => warnings.push(message),
      });
      shops.push({ schema: `${schema}_${name}`, service, client, outbox });
    }
    await Promise.all(shops.map(({ outbox }) => outbox.start()));
    expect(logs).toEqual([
      expect.stringContaining('it polls every second, since a pooler stands in between'),
      expect.stringContaining('it polls every second'),
    ]);

    const ids: Record<string, string[]> = {};
    const enqueueRound = async ({ schema, outbox, service }: Shop, round: number): Promise<void> => {
      const made = Array.from({ length: perRound }, (_, number) =>
        outbox.enqueue(service.orders[number % 10]?.token ?? '', step(round * perRound + number)),
      );
      ids[schema] = [...(ids[schema] ?? []), ...(await Promise.all(made))];
    };
    // Over six seconds, in which every connection to the server is opened anew.
    for (let round = 0; round < rounds; round++) {
      await Promise.all(shops.map((shop) => enqueueRound(shop, round)));
      await delay(750);
    }
    for (const { schema, service, outbox } of shops) {
      await until('all is applied', async () => (await outbox.counts()).applied === rounds * perRound);
      const { rows } = await sql.query(`select id from ${schema}.updates`);
      expect(rows.map((row) => (row as { id: string }).id).toSorted()).toEqual(ids[schema]?.toSorted());
      expect(service.ledger).toHaveLength(rounds * perRound);
      for (const { token } of service.orders) {
        const steps = stepsApplied(service, token).map(Number);
        expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      }
    }
    for (const { service, outbox, client } of shops) {
      await outbox.close();
      await client.close();
      await service.close();
    }
    expect(warnings).toEqual([]);
    const { rows: locks } = await sql.query(`select from pg_locks where locktype = 'advisory'`);
    expect(locks).toEqual([]);
    const { rows: listening } = await sql.query(
      `select from pg_stat_activity where query ilike 'listen%' and position($1 in query) > 0`,
      [schema],
    );
    expect(listening).toEqual([]);
  });
}
