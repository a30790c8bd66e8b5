import { type OutboxStore, postgresStore } from '@orders/outbox';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startForwarder } from '../../../.ci/start-forwarder.ts';
import { mockService } from '../fault-injection/mock-service.ts';
import type { BulkRowView, BulkView } from '../page/api.ts';
import { createApp } from '../server/app.ts';
import { openTestApp, openTestStore, type TestApp } from './open-test-app.ts';
import { createDatabase, needPostgres } from './open-test-postgres.ts';
import { tables } from './share-postgres.ts';

const tokens = Array.from({ length: 40 }, (_, index) => `order-${index + 1}`);
const orders = tokens.map((token) => ({ token, body: buildOrderUpdate() }));
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders });
});
afterAll(() => app.close());

async function upload(one: TestApp, body: string, name = 'file.csv'): Promise<BulkView> {
  const sent = await one.call(`/api/bulks?name=${name}`, undefined, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/csv' },
  });
  expect(sent.status, sent.text).toBe(201);
  return sent.body;
}

const read = async (one: TestApp, { id }: BulkView): Promise<BulkView> =>
  (await one.call(`/api/bulks/${id}`)).body.bulk;
const rowsIn = async (one: TestApp, { id }: BulkView, state: string): Promise<readonly BulkRowView[]> =>
  (await one.call(`/api/bulks/${id}?state=${state}`)).body.rows;

async function untilState(one: TestApp, bulk: BulkView, state: BulkView['state']): Promise<void> {
  await expect.poll(async () => (await read(one, bulk)).state, { interval: 200 }).toBe(state);
}

/** One row for each token: `token,order_id,cart.items[0].sku`. */
const fileOf = (rows: readonly string[], prefix = 'row') =>
  [
    'token,order_id,cart.items[0].sku',
    ...rows.map((token, index) => `${token},${prefix}-${index + 1},MUG`),
  ].join('\n');

test('a row says why it was rejected, or what is unknown, and the others go on', async () => {
  app.mock.faults.next({ type: 'status', status: 422 }, { token: 'order-1' });
  app.mock.faults.next({ type: 'reset_after_applying' }, { token: 'order-2' });
  const bulk = await upload(app, fileOf(['order-1', 'order-2', 'order-3', 'unknown-order']));
  await app.call(`/api/bulks/${bulk.id}/send`, {});
  // The unknown outcome waits for a person.
  await untilState(app, bulk, 'waiting');
  expect((await app.call(`/api/bulks/${bulk.id}`)).body.rows).toMatchObject([
    {
      row: 2,
      token: 'order-1',
      state: 'rejected',
      status: 422,
      code: 'http_error',
      message: expect.any(String),
    },
    { row: 3, state: 'needs_review', code: expect.any(String) },
    { row: 4, state: 'applied' },
    { row: 5, token: 'unknown-order', state: 'rejected', status: 404 },
  ]);
  const [unknown] = await rowsIn(app, bulk, 'needs_review');
  await app.call(`/api/updates/${unknown?.updateId}/resolve`, {});
  await expect.poll(async () => (await read(app, bulk)).counts.applied).toBe(2);
  expect((await read(app, bulk)).state).toBe('done');
});

test('rows behind an update that needs review wait for the decision, and say so until it is taken', async () => {
  app.mock.faults.next({ type: 'reset_after_applying' }, { token: 'order-30' });
  const bulk = await upload(app, fileOf(['order-30', 'order-30', 'order-31', 'order-30']));
  await app.call(`/api/bulks/${bulk.id}/send`, {});
  await untilState(app, bulk, 'waiting');
  expect(await read(app, bulk)).toMatchObject({
    counts: { needs_review: 1, waiting: 2, applied: 1, queued: 0 },
  });
  expect((await app.call('/api/bulks')).body.bulks[0]).toMatchObject({ id: bulk.id, state: 'waiting' });
  // A row that is queued later waits, too.
  const later = await upload(app, fileOf(['order-30']));
  await app.call(`/api/bulks/${later.id}/send`, {});
  await untilState(app, later, 'waiting');
  const listed = await app.call('/api/orders?search=order-30');
  expect(listed.body.orders[0]).toMatchObject({ lastUpdate: { state: 'waiting' }, needsReview: true });
  const [unknown] = await rowsIn(app, bulk, 'needs_review');
  await app.call(`/api/updates/${unknown?.updateId}/resolve`, {});
  await untilState(app, bulk, 'done');
  await untilState(app, later, 'done');
  const after = await app.call('/api/orders?search=order-30');
  expect(after.body.orders[0]).toMatchObject({ lastUpdate: { state: 'applied' }, needsReview: false });
});

test('rows that wait for a decision are discarded with their bulk, and the decision stays open', async () => {
  app.mock.faults.next({ type: 'reset_after_applying' }, { token: 'order-32' });
  const bulk = await upload(app, fileOf(['order-32', 'order-32', 'order-32']));
  await app.call(`/api/bulks/${bulk.id}/send`, {});
  await untilState(app, bulk, 'waiting');
  await app.call(`/api/bulks/${bulk.id}/discard`, {});
  await expect
    .poll(async () => (await read(app, bulk)).counts)
    .toMatchObject({ discarded: 2, waiting: 0, needs_review: 1 });
  expect((await read(app, bulk)).state).toBe('waiting');
  const [unknown] = await rowsIn(app, bulk, 'needs_review');
  await app.call(`/api/updates/${unknown?.updateId}/resolve`, {});
  await untilState(app, bulk, 'stopped');
});

test('a row that the outbox refuses is invalid once it is sent, and the others go on', async () => {
  const update = buildOrderUpdate();
  const long = 'x'.repeat(2_601);
  const lines = [
    { token: long, update },
    { token: 'order-33', update },
    { token: 'order-33', update: { ...update, note: 'x'.repeat(4 * 1_048_576) } },
    { token: 'order-34', update },
  ].map((line) => JSON.stringify(line));
  const bulk = await upload(app, lines.join('\n'), 'a.ndjson');
  await app.call(`/api/bulks/${bulk.id}/send`, {});
  await untilState(app, bulk, 'done');
  expect(await read(app, bulk)).toMatchObject({ invalid: 2, counts: { invalid: 2, applied: 2 } });
  expect(await rowsIn(app, bulk, 'invalid')).toMatchObject([
    { row: 1, issues: [{ message: expect.stringMatching(/^The token has more than the 2600 bytes/) }] },
    { row: 3, issues: [{ message: expect.stringMatching(/^The update has 4,1.* bytes of JSON/) }] },
  ]);
  expect(app.logged).toEqual([]);
});

describe('while another session holds an order', () => {
  async function whileHeld(databaseUrl: string, run: () => Promise<void>): Promise<void> {
    const other = postgresStore({ connectionString: databaseUrl });
    await other.transaction(async (tx) => {
      await tx.query('set local idle_in_transaction_session_timeout = 0');
      await tx.query(`select from orders_outbox.lanes where token = 'order-1' for update`);
      await run();
    });
    await other.close();
  }

  test('only its rows wait, which say so, and are sent in sequence afterwards', async (context) => {
    needPostgres(context);
    const databaseUrl = await createDatabase(tables);
    await using own = await openTestApp({ orders, data: { databaseUrl } });
    const applied = (token: string) => own.mock.appliedUpdates(token).map(({ order_id }) => order_id);
    const rows = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'order-1' : 'order-2'));
    await own.outbox.enqueue('order-1', buildOrderUpdate({ order_id: 'before' }));
    const bulk = await upload(own, fileOf(rows));
    await whileHeld(databaseUrl, async () => {
      await own.call(`/api/bulks/${bulk.id}/send`, {});
      await expect.poll(() => applied('order-2').length).toBe(25);
      await expect.poll(async () => (await read(own, bulk)).counts.locked).toBe(25);
      expect((await read(own, bulk)).state).toBe('sending');
      expect((await rowsIn(own, bulk, 'locked')).map(({ token }) => token)).toEqual(
        Array(25).fill('order-1'),
      );
    });
    await untilState(own, bulk, 'done');
    const odd = Array.from({ length: 25 }, (_, index) => `row-${2 * index + 1}`);
    expect(applied('order-1')).toEqual(['before', ...odd]);
    expect(own.logged).toEqual([]);
  });

  test('the other rows of a bulk are discarded, and its own afterwards', async (context) => {
    needPostgres(context);
    const databaseUrl = await createDatabase(tables);
    await using own = await openTestApp({ orders, data: { databaseUrl } });
    own.mock.faults.always({ type: 'status', status: 429, headers: { 'retry-after': '600' } });
    const bulk = await upload(own, fileOf([...Array(30).fill('order-2'), 'order-1']));
    await own.call(`/api/bulks/${bulk.id}/send`, {});
    await expect.poll(async () => (await read(own, bulk)).counts.queued).toBe(31);
    const states = async () => {
      const shown = (await own.call(`/api/bulks/${bulk.id}`)).body.rows as readonly BulkRowView[];
      return Promise.all(shown.map(async ({ updateId }) => (await own.outbox.get(String(updateId)))?.state));
    };
    await whileHeld(databaseUrl, async () => {
      await own.call(`/api/bulks/${bulk.id}/discard`, {});
      await expect
        .poll(async () => (await states()).filter((state) => state === 'discarded').length)
        .toBe(30);
    });
    await expect.poll(async () => (await read(own, bulk)).counts.discarded).toBe(31);
    expect(own.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('discarding a bulk discards what is queued, and not what is being sent', async () => {
  const mock = mockService();
  const released = Promise.withResolvers<void>();
  const service = await mock(async () => orders, String);
  // The response arrives once everything else is discarded.
  const hold = { method: 'PATCH', until: released.promise };
  await using forwarder = await startForwarder(Number(new URL(service.baseUrl).port), hold);
  const connect = async () => ({ ...service, baseUrl: `http://127.0.0.1:${forwarder.port}` });
  await using held = await openTestApp({ connect });
  const bulk = await upload(held, fileOf(Array(25).fill('order-4')));
  await held.call(`/api/bulks/${bulk.id}/send`, {});
  await expect.poll(async () => (await rowsIn(held, bulk, 'sending')).length, { interval: 50 }).toBe(1);
  expect((await held.call(`/api/bulks/${bulk.id}/discard`, {})).body.state).toBe('stopped');
  const counts = async () => (await read(held, bulk)).counts;
  await expect.poll(counts).toMatchObject({ sending: 1, discarded: 24, queued: 0, ready: 0 });
  released.resolve();
  await expect.poll(counts).toMatchObject({ applied: 1, discarded: 24, sending: 0 });
  expect(mock.service().appliedUpdates('order-4')).toMatchObject([{ order_id: 'row-1' }]);
  // It is not sent again.
  await held.call(`/api/bulks/${bulk.id}/send`, {});
  expect(await read(held, bulk)).toMatchObject({ state: 'stopped', counts: { discarded: 24 } });
});

test('while queued rows are discarded, a request waits behind 20 of them at most', async () => {
  const store = await openTestStore();
  let open = 0;
  let most = 0;
  const transaction: OutboxStore['transaction'] = async (run, options) => {
    most = Math.max(most, ++open);
    try {
      return await store.transaction(run, options);
    } finally {
      open--;
    }
  };
  await using paused = await openTestApp({ orders, data: { ...store, transaction } });
  paused.mock.faults.always({ type: 'status', status: 429, headers: { 'retry-after': '600' } });
  const bulk = await upload(paused, fileOf([...tokens, ...tokens]));
  await paused.call(`/api/bulks/${bulk.id}/send`, {});
  await expect.poll(async () => (await read(paused, bulk)).counts.queued).toBe(80);
  most = 0;
  expect((await paused.call(`/api/bulks/${bulk.id}/discard`, {})).status).toBe(200);
  await expect.poll(async () => (await read(paused, bulk)).counts.discarded).toBe(80);
  expect(most).toBeGreaterThan(1);
  // Beside them, what the worker of the outbox does.
  expect(most).toBeLessThan(30);
});

test('a file of many columns is stored in several statements, between which requests get their turn', async () => {
  const columns = Array.from({ length: 900 }, (_, item) => `cart.items[${item}].sku`);
  const row = `order-1,${'MUG,'.repeat(columns.length - 1)}MUG`;
  let statements = 0;
  const store: OutboxStore = {
    ...app.parts.store,
    query(text, values) {
      if (text.includes('insert into merchant.bulk_rows')) statements++;
      return app.parts.store.query(text, values);
    },
  };
  const sent = await createApp({ ...app.parts, store }).request(`${app.url}/api/bulks?name=a.csv`, {
    method: 'POST',
    body: [`token,${columns}`, ...Array<string>(20).fill(row)].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  expect(await sent.json()).toMatchObject({ state: 'ready', rows: 20, invalid: 0 });
  // Of at most 200 kB and one row.
  expect(statements).toBe(2);
});

test('a bulk that was interrupted goes on where it stood: no row twice, none left out', async () => {
  const store = await openTestStore();
  const kept = { ...store, close: async () => {} };
  const rows = Array.from({ length: 80 }, (_, index) => tokens[index % 5] ?? '');
  let bulk: BulkView;
  const applied: (string | undefined)[] = [];
  {
    await using before = await openTestApp({ orders, data: kept });
    bulk = await upload(before, fileOf(rows));
    await before.call(`/api/bulks/${bulk.id}/send`, {});
    await expect
      .poll(async () => 80 - (await read(before, bulk)).counts.ready, { interval: 10 })
      .toBeGreaterThan(0);
    await before.close();
    applied.push(...before.mock.ledger.map(({ body }) => body.order_id));
  }
  await using after = await openTestApp({ orders, data: store });
  await untilState(after, bulk, 'done');
  applied.push(...after.mock.ledger.map(({ body }) => body.order_id));
  expect((await read(after, bulk)).counts.applied).toBe(80);
  expect(applied.toSorted()).toEqual(rows.map((_, index) => `row-${index + 1}`).toSorted());
});

test('a bulk whose process has ended is sent by another one', async () => {
  const bulk = await upload(app, fileOf(['order-35', 'order-36']));
  // As the process that began it left it.
  await app.parts.store.query(`update merchant.bulks set state = 'sending' where id = $1`, [bulk.id]);
  await untilState(app, bulk, 'done');
  const given = await upload(app, fileOf(['order-35']));
  await app.parts.store.query(`update merchant.bulks set state = 'discarded' where id = $1`, [given.id]);
  await expect.poll(async () => (await read(app, given)).counts.discarded).toBe(1);
});

test('discarding a bulk decides nothing that waits for a person, also after a restart', async () => {
  const store = await openTestStore();
  const data = { ...store, close: async () => {} };
  const stateOf = async (one: TestApp, bulk: BulkView): Promise<string | undefined> =>
    (await one.call(`/api/bulks/${bulk.id}`)).body.rows[0]?.state;
  let bulk: BulkView;
  {
    await using before = await openTestApp({ orders, data });
    before.mock.faults.next({ type: 'reset_after_applying' }, { token: 'order-1' });
    bulk = await upload(before, fileOf(['order-1']));
    await before.call(`/api/bulks/${bulk.id}/send`, {});
    await expect.poll(() => stateOf(before, bulk)).toBe('needs_review');
    await before.call(`/api/bulks/${bulk.id}/discard`, {});
    before.mock.faults.always({ type: 'status', status: 429, headers: { 'retry-after': '600' } });
    const [update] = (await before.call('/api/updates?state=needs_review')).body.updates;
    await before.call(`/api/updates/${update.id}/retry`, { note: 'the customer waits' });
    await expect.poll(() => before.mock.journal.some(({ status }) => status === 429)).toBe(true);
    await before.close();
  }
  await using after = await openTestApp({ orders, data: store });
  await after.call('/api/resume', {});
  await expect.poll(() => stateOf(after, bulk)).toBe('applied');
});

test('what is no bulk, or no file, is refused', async () => {
  expect((await app.call('/api/bulks/none')).status).toBe(404);
  expect((await app.call(`/api/bulks/${crypto.randomUUID()}/send`, {})).status).toBe(404);
  const refused = await app.call('/api/bulks?name=x.csv', undefined, {
    method: 'POST',
    body: 'name\nKari',
    headers: { 'content-type': 'text/csv' },
  });
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { code: 'unreadable_file', row: 1, column: 'token' } },
  });
  const tooLarge = await app.call('/api/bulks?name=x.csv', undefined, {
    method: 'POST',
    body: new Uint8Array(16 * 1_048_576 + 1),
    headers: { 'content-type': 'text/csv' },
  });
  expect(tooLarge.status).toBe(413);
});

test.each([
  [
    'refuse',
    [
      [2, 'invalid'],
      [3, 'invalid'],
      [4, 'ready'],
    ],
    undefined,
  ],
  [
    'group',
    [
      [2, 'ready'],
      [4, 'ready'],
    ],
    ['A', 'B'],
  ],
  [
    'each',
    [
      [2, 'ready'],
      [3, 'ready'],
      [4, 'ready'],
    ],
    ['B'],
  ],
] as const)('rows of one order: %s', async (choice, rows, applied) => {
  const body = 'token,cart.items[0].sku\norder-11,A\norder-11,B\norder-12,C\n';
  const sent = await app.call(`/api/bulks?name=a.csv&rows=${choice}`, undefined, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/csv' },
  });
  const { id } = sent.body;
  const shown: readonly BulkRowView[] = (await app.call(`/api/bulks/${id}`)).body.rows;
  expect(shown.map(({ row, state }) => [row, state])).toEqual(rows);
  if (!applied) return;
  await app.call(`/api/bulks/${id}/send`, {});
  await untilState(app, sent.body, 'done');
  const { cart } = app.mock.appliedUpdates('order-11').at(-1) ?? {};
  expect(cart?.items?.map(({ sku }) => sku)).toEqual(applied);
});

test.each([
  ['rows=join', 'rows: Write one of refuse, group, each.'],
  ['rows=', 'rows: Write one of refuse, group, each.'],
  ...['99', '-1', '2.0', ' 2', 'two', ''].map((text) => [
    `decimals=${text}`,
    'decimals: Write one of 0, 1, 2, 3.',
  ]),
])('a file to be read with %s is refused', async (query, message) => {
  const sent = await app.call(`/api/bulks?${query}`, undefined, {
    method: 'POST',
    body: 'token\na\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(sent.body.error).toMatchObject({ code: 'bad_request', message });
});

test('a row has the number of its line, in every page, and in the result file', async () => {
  // With blank lines between, numbers have gaps, over more than a page of the result.
  const lines = Array.from(
    { length: 600 },
    (_, index) => `{"token":"order-1","update":{"order_id":"n-${index}","cart":{}}}`,
  );
  const bulk = await upload(app, lines.join('\n\n'), 'a.ndjson');
  const wanted = lines.map((_, index) => 2 * index + 1);
  const shown: number[] = [];
  let after: string | undefined = '0';
  while (after !== undefined) {
    const page: { readonly rows: readonly BulkRowView[]; readonly next?: string } = (
      await app.call(`/api/bulks/${bulk.id}?after=${after}`)
    ).body;
    shown.push(...page.rows.map(({ row }) => row));
    after = page.next;
  }
  expect(shown).toEqual(wanted);
  const { text } = await app.call(`/api/bulks/${bulk.id}/result.csv`);
  expect(
    text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => Number.parseInt(line, 10)),
  ).toEqual(wanted);
});

test('a result file whose rows cannot all be read ends with an error, which is logged', async () => {
  const store = await openTestStore();
  const query: OutboxStore['query'] = (text, values) =>
    text.includes('from merchant.bulk_rows as r') && values?.[1] === 501
      ? Promise.reject(new Error('no more rows'))
      : store.query(text, values);
  await using broken = await openTestApp({ orders, data: { ...store, query } });
  const bulk = await upload(broken, fileOf(Array.from({ length: 501 }, () => 'order-1')));
  // The server of Hono prints the error of a stream.
  using printed = vi.spyOn(console, 'error').mockReturnValue();
  const response = await fetch(`${broken.url}/api/bulks/${bulk.id}/result.csv`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  expect(broken.logged).toMatchObject([
    { level: 'error', route: 'GET /api/bulks/:id/result.csv', message: 'no more rows' },
  ]);
  expect(printed.mock.calls.join()).not.toContain('no more rows');
});
