import { randomUUID } from 'node:crypto';
import type { Outbox, OutboxStore } from '@orders/outbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BulkRowView, BulkSummary, BulkView, OrderSummary, UpdateView } from '../page/api.ts';
import { createApp } from '../server/app.ts';
import { rowsOf } from '../server/database.ts';
import { pageStatement } from '../server/orders.ts';
import { pageSize } from '../server/pages.ts';
import { addOrders } from '../server/stored-orders.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

const count = 130;
const tokens = Array.from({ length: count }, (_, index) => `order-${String(index).padStart(3, '0')}`);
const orders = tokens.map((token, index) => ({
  token,
  body: { order_id: `Shop-${1000 + index}%`, purchase_currency: 'NOK', cart: { items: [{ sku: 'MUG' }] } },
}));
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders });
});
afterAll(() => app.close());

interface Page {
  readonly next?: string;
}

/** Every page of a list, from the first to the last. */
async function readAll<Shown extends Page>(path: string): Promise<readonly Shown[]> {
  const pages: Shown[] = [];
  for (let next: string | undefined = ''; next !== undefined; next = pages.at(-1)?.next) {
    const after = next && `${path.includes('?') ? '&' : '?'}after=${next}`;
    pages.push((await app.call(path + after)).body);
  }
  return pages;
}

const search = async (text: string): Promise<Page & { orders: OrderSummary[]; isCut: boolean }> =>
  (await app.call(`/api/orders?search=${encodeURIComponent(text)}`)).body;
const found = async (text: string) => (await search(text)).orders.map(({ orderId }) => orderId);

async function upload(rows: readonly string[]): Promise<string> {
  const body = ['token,order_id,cart.items[0].sku', ...rows].join('\n');
  const headers = { 'content-type': 'text/csv' };
  return (await app.call('/api/bulks?name=a.csv', undefined, { method: 'POST', body, headers })).body.id;
}

test('the pages of the orders have each order once, in the order in which they were added', async () => {
  const pages = await readAll<Page & { orders: OrderSummary[] }>('/api/orders');
  expect(pages.map((page) => page.orders.length)).toEqual([pageSize, pageSize, count - 2 * pageSize]);
  expect(pages.flatMap((page) => page.orders.map(({ token }) => token))).toEqual(tokens);
  expect(pages[0]?.orders[0]).toEqual({
    token: 'order-000',
    orderId: 'Shop-1000%',
    currency: 'NOK',
    lines: 1,
    total: null,
    lastUpdate: null,
    needsReview: false,
  } satisfies OrderSummary);
});

test('a search finds how an order number begins or ends, in any case, and how a token begins, and nothing by a wildcard', async () => {
  expect(await found('SHOP-1007')).toEqual(['Shop-1007%']);
  expect(await found('07%')).toEqual(['Shop-1007%', 'Shop-1107%']);
  expect(await found(' order-012 ')).toEqual(['Shop-1012%']);
  for (const text of ['%7', '_hop-1007', 'hop-1', 'ORDER-012', '\\', "'"])
    expect(await found(text)).toEqual([]);
  const many = await search('shop-');
  expect({ count: many.orders.length, isCut: many.isCut, next: many.next }).toEqual({
    count: pageSize,
    isCut: true,
    next: undefined,
  });
});

test('a list shows an order as it was applied last, whatever its number holds', async () => {
  const token = tokens[count - 1] ?? '';
  const order_id = `n\u0000\ud800 ${'x'.repeat(200)}`;
  await app.call(`/api/orders/${token}/updates`, {
    id: randomUUID(),
    update: { order_id, cart: {}, total_amount: 25_800 },
  });
  const listed = async () => (await search(token)).orders[0];
  await expect.poll(async () => (await listed())?.lastUpdate?.state).toBe('applied');
  expect(await listed()).toMatchObject({
    orderId: `n\ufffd\ufffd ${'x'.repeat(200)}`,
    currency: null,
    lines: 0,
    total: 25_800,
  });
});

test('the pages of the bulks and of the rows of a bulk have each once, and a state narrows the rows', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 21; index++) ids.push(await upload([`order-000,A-${index},MUG`]));
  const bulks = await readAll<Page & { bulks: BulkSummary[] }>('/api/bulks');
  expect(bulks.map((page) => page.bulks.length)).toEqual([20, 1]);
  expect(bulks.flatMap((page) => page.bulks.map(({ id }) => id))).toEqual(ids.toReversed());

  const rows = Array.from({ length: 120 }, (_, row) => (row % 2 === 0 ? ',A-1,MUG' : 'order-000,A-1,MUG'));
  const id = await upload(rows);
  const all = await readAll<Page & { bulk: BulkView; rows: BulkRowView[] }>(`/api/bulks/${id}`);
  expect(all.map((page) => page.rows.length)).toEqual([50, 50, 20]);
  // The first row of the file has its columns.
  expect(all.flatMap((page) => page.rows.map(({ row }) => row))).toEqual(rows.map((_, row) => row + 2));
  const invalid = await readAll<Page & { bulk: BulkView; rows: BulkRowView[] }>(
    `/api/bulks/${id}?state=invalid`,
  );
  expect(invalid.map((page) => page.rows.length)).toEqual([50, 10]);
  expect(all[0]?.bulk).toMatchObject({ rows: 120, invalid: 60, counts: { ready: 60, invalid: 60 } });
  const result = (await app.call(`/api/bulks/${id}/result.csv`)).text.trimEnd().split('\r\n');
  expect(result.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(rows.map((_, row) => row + 2));
});

test('the pages of the review have each update once, without bodies; a body is read with its update', async () => {
  const rejected = tokens.slice(0, 30);
  for (const token of rejected) app.mock.faults.next({ type: 'status', status: 422 }, { token });
  for (const token of rejected)
    await app.call(`/api/orders/${token}/updates`, {
      id: randomUUID(),
      update: { order_id: token, cart: {} },
    });
  await expect.poll(async () => (await app.outbox.status()).updates.rejected).toBe(30);
  const pages = await readAll<Page & { updates: UpdateView[] }>('/api/updates?state=rejected');
  expect(pages.map(({ updates }) => updates.length)).toEqual([25, 5]);
  const updates = pages.flatMap((page) => page.updates);
  expect(updates.map(({ token }) => token)).toEqual(rejected);
  expect(updates[7]).toMatchObject({ orderId: 'Shop-1007%', source: 'editor' });
  expect(updates[7]).not.toHaveProperty('update');
  expect((await app.call(`/api/updates/${updates[7]?.id}`)).body).toMatchObject({
    update: { order_id: 'order-007', cart: {} },
  });
});

test('the history of an order is as long as the page asks for, at most 200', async () => {
  const token = tokens[count - 2] ?? '';
  const update = { cart: {} };
  for (let index = 0; index < 25; index++) await app.outbox.enqueue(token, update);
  const shown = async (query: string) => (await app.call(`/api/orders/${token}${query}`)).body.updates.length;
  expect(await Promise.all(['', '?updates=1', '?updates=21', '?updates=1000000'].map(shown))).toEqual([
    5, 5, 21, 25,
  ]);
});

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Calls a list, and notes the statements of the app and the reads of the outbox. */
async function noteReads(
  path: string,
): Promise<{ readonly statements: Statement[]; readonly outbox: string[] }> {
  const statements: Statement[] = [];
  const reads: string[] = [];
  const store: OutboxStore = {
    ...app.parts.store,
    query(text, values = []) {
      statements.push({ text, values });
      return app.parts.store.query(text, values);
    },
  };
  const outbox = new Proxy(app.outbox, {
    get(target, name: keyof Outbox<ShopUpdate>) {
      reads.push(String(name));
      return target[name];
    },
  });
  const response = await createApp({ ...app.parts, store, outbox }).request(`http://localhost${path}`);
  expect(response.status).toBe(200);
  await response.text();
  return { statements, outbox: reads };
}

test('a list takes the same few statements, however many entries it has', async () => {
  const bulk = await upload(['order-000,A-1,MUG', 'order-001,A-1,MUG']);
  const counts: Record<string, unknown> = {};
  const count = async (path: string, name = path): Promise<void> => {
    const { statements, outbox } = await noteReads(path);
    counts[name] = { statements: statements.length, outbox };
  };
  for (const path of ['/api/orders', '/api/orders?search=shop', '/api/updates', '/api/bulks'])
    await count(path);
  await count('/api/orders/order-000', 'order');
  await count(`/api/bulks/${bulk}`, 'bulk');
  expect(counts).toEqual({
    '/api/orders': { statements: 1, outbox: [] },
    '/api/orders?search=shop': { statements: 1, outbox: [] },
    // The sources of the updates, and the numbers of their orders.
    '/api/updates': { statements: 1, outbox: ['list'] },
    '/api/bulks': { statements: 1, outbox: [] },
    order: { statements: 3, outbox: ['history'] },
    // The bulk, how many rows are in each state, and the page.
    bulk: { statements: 3, outbox: [] },
  });
});

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/** How many rows of tables a statement read, and which tables it read from their start to their end. */
async function explain({ text, values }: Statement) {
  const [row] = await rowsOf<{ 'QUERY PLAN': unknown }>(
    app.parts.store,
    `explain (analyze, format json) ${text}`,
    values,
  );
  const plan = row?.['QUERY PLAN'];
  const [{ Plan: root }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: Plan }];
  const nodes = (node: Plan): readonly Plan[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const scans = nodes(root).filter((node) => node['Relation Name'] !== undefined);
  const rowsOfScan = (node: Plan): number =>
    (node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops'];
  return {
    rows: Math.round(scans.reduce((sum, node) => sum + rowsOfScan(node), 0)),
    whole: scans.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']),
  };
}

test('a page of the orders reads as many rows as it shows, among 20,000 orders and 40,000 updates', async () => {
  const { store } = app.parts;
  await addOrders(store, []);
  await store.query(
    `insert into merchant.orders (token, body, order_id, currency, lines)
     select 'many-' || n, repeat('x', 500), 'Many-' || n, 'NOK', n % 5 from generate_series(1, 20000) as n`,
  );
  await store.query(
    `insert into merchant.updates (id, token, source, state)
     select gen_random_uuid(), 'many-' || (n % 20000 + 1), 'bulk', 'applied' from generate_series(1, 39000) as n
     union all
     select gen_random_uuid(), 'many-1', 'bulk', 'queued' from generate_series(1, 1000)`,
  );
  const pages = {
    first: pageStatement({ after: 0, search: '' }),
    deep: pageStatement({ after: 18_000, search: '' }),
    'all begin so': pageStatement({ after: 0, search: 'many-' }),
    'one number': pageStatement({ after: 0, search: 'Many-7777' }),
    end: pageStatement({ after: 0, search: '777' }),
    none: pageStatement({ after: 0, search: 'none' }),
  };
  const isStale = `create temporary table states as select id, state from merchant.updates;
    update merchant.updates set state = 'needs_review'; analyze; update merchant.updates as u set state = s.state from states as s where s.id = u.id`;
  // As the database plans before and after it knows the tables, and where they have changed since.
  for (const prepare of ['select', 'analyze', isStale]) {
    await store.executeSql(prepare);
    for (const [name, page] of Object.entries(pages)) {
      const read = await explain(page);
      // Three searches of a page each, and an order, an update and a review for each row.
      expect(read.rows, `${name}, after ${prepare}`).toBeLessThan(7 * (pageSize + 1));
      expect(read.whole, `${name}, after ${prepare}`).toEqual([]);
    }
  }
});

test('the list of bulks reads a few rows of each, among 20,000 rows, whatever the database knew of before', async () => {
  const { store } = app.parts;
  await store.query('delete from merchant.bulks');
  await store.query(
    `insert into merchant.bulks (id, name, state, rows) select gen_random_uuid(), 'many', 'ready', 1000 from generate_series(1, 20)`,
  );
  const addRows = (from: number, to: number) =>
    store.query(
      `insert into merchant.bulk_rows (bulk_id, row, token, state)
       select id, n, 'order-000', 'ready' from merchant.bulks, generate_series($1::int, $2::int) as n where name = 'many'`,
      [from, to],
    );
  await addRows(1, 1);
  await store.executeSql('analyze');
  await addRows(2, 1_000);
  // The app looks anew at each file that it stores.
  await upload(['order-000,A-1,MUG']);
  for (const state of ['ready', 'queued', 'invalid']) {
    await store.query('update merchant.bulk_rows set state = $1', [state]);
    for (const prepare of ['select', 'analyze']) {
      await store.executeSql(prepare);
      const { statements } = await noteReads('/api/bulks');
      expect(statements.length).toBe(1);
      for (const statement of statements) {
        const read = await explain(statement);
        expect(read.rows, `${state}, ${prepare}`).toBeLessThan(200);
        expect(read.whole, `${state}, ${prepare}`).not.toContain('bulk_rows');
      }
    }
  }
});
