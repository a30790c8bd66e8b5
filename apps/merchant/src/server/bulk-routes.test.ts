import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { openBulkDesk, type TestBulkDesk } from '../../test/open-bulk-desk.ts';
import { BulkRows, BulkView } from '../contract/bulk-view.ts';

async function ask({ url, service }: TestBulkDesk, path: string, init: RequestInit = {}) {
  const answer = await fetch(url + path, init);
  const text = await answer.text();
  expect(text + JSON.stringify([...answer.headers])).not.toContain(service.key);
  return { status: answer.status, headers: answer.headers, text, body: readJson(text) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function upload(
  desk: TestBulkDesk,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  return ask(desk, '', { method: 'POST', headers: { 'content-type': 'text/csv', ...headers }, body });
}

async function uploaded(
  desk: TestBulkDesk,
  body: string,
  headers?: Record<string, string>,
): Promise<BulkView> {
  const { status, body: bulk } = await upload(desk, body, headers);
  expect(status).toBe(201);
  return BulkView.parse(bulk);
}

const post = (desk: TestBulkDesk, path: string, body: unknown = {}) =>
  ask(desk, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const rowsOf = async (desk: TestBulkDesk, path: string) => BulkRows.parse((await ask(desk, path)).body);

const oneBad = 'token,order_id,cart.items[0].quantity\norder-1,A-1,1\norder-2,A-2,2.5\norder-3,A-3,3\n';

test('keeps a file, tells its counts and explains its bad row', async () => {
  await using desk = await openBulkDesk();
  const bulk = await uploaded(desk, oneBad, { 'x-file-name': encodeURIComponent('ordrer på ønske.csv') });
  expect(bulk).toMatchObject({
    name: 'ordrer på ønske.csv',
    state: 'preview',
    rows: 3,
    counts: { waiting: 2, bad: 1 },
  });
  expect(await rowsOf(desk, `/${bulk.id}/rows?state=bad`)).toEqual({
    total: 1,
    rows: [
      {
        row: 2,
        line: 3,
        token: 'order-2',
        state: 'bad',
        update: { order_id: 'A-2', cart: { items: [{ quantity: 2.5 }] } },
        issues: [
          {
            path: 'cart.items[0].quantity',
            code: 'not_integer',
            message: expect.stringContaining('2.5'),
            hint: expect.stringContaining('whole numbers'),
          },
        ],
      },
    ],
  });
  expect((await ask(desk, '')).body).toEqual({ bulks: [bulk] });
  expect((await ask(desk, `/${bulk.id}`)).body).toEqual(bulk);
  expect(desk.service.journal).toEqual([]);
});

test('sends all but the bad rows, and says what became of each', async () => {
  await using desk = await openBulkDesk();
  const { id } = await uploaded(desk, oneBad);
  expect(await post(desk, `/${id}/start`)).toMatchObject({ status: 200, body: { id, state: 'running' } });
  await desk.bulks.ended(id);
  expect((await ask(desk, `/${id}`)).body).toMatchObject({ state: 'done', counts: { applied: 2, bad: 1 } });
  expect((await rowsOf(desk, `/${id}/rows`)).rows).toMatchObject([
    { row: 1, state: 'applied', attempts: 1, status: 200 },
    { row: 2, state: 'bad' },
    { row: 3, state: 'applied' },
  ]);
  expect(desk.service.appliedUpdates('order-3')).toEqual([
    { order_id: 'A-3', cart: { items: [{ quantity: 3 }] } },
  ]);
  expect(await post(desk, `/${id}/start`)).toMatchObject({
    status: 409,
    body: { error: { code: 'nothing_to_send' } },
  });
});

test('gives rows by page, by place and by state', async () => {
  await using desk = await openBulkDesk();
  const lines = Array.from(
    { length: 30 },
    (_, index) => `order-${index + 1},${index % 10 === 9 ? '[' : '{}'}`,
  );
  const { id } = await uploaded(desk, `token,cart\n${lines.join('\n')}`);
  const numbers = async (query: string) => {
    const { rows, total } = await rowsOf(desk, `/${id}/rows?${query}`);
    return { rows: rows.map(({ row }) => row), total };
  };
  expect(await numbers('after=3&limit=2')).toEqual({ rows: [4, 5], total: 30 });
  expect(await numbers('offset=28')).toEqual({ rows: [29, 30], total: 30 });
  expect(await numbers('state=bad')).toEqual({ rows: [10, 20, 30], total: 3 });
  expect(await numbers('state=bad&offset=1&limit=1')).toEqual({ rows: [20], total: 3 });
  expect(await numbers('state=applied')).toEqual({ rows: [], total: 0 });
});

test('writes a result as CSV that no spreadsheet takes for formulas, and as NDJSON as it is', async () => {
  await using desk = await openBulkDesk({ orders: 1 });
  const rows = ['order-1,{}', '=HYPERLINK(1),{}', '"-2,""x""",{}', 'order-1,[', '"@a\nb",{}'];
  const { id } = await uploaded(desk, `token,cart\n${rows.join('\n')}\n`, { 'x-file-name': 'my%20file.csv' });
  await post(desk, `/${id}/start`);
  await desk.bulks.ended(id);

  const csv = await ask(desk, `/${id}/result?format=csv`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toBe(
    `attachment; filename="my file-result.csv"; filename*=UTF-8''my%20file-result.csv`,
  );
  const read: unknown[] = parse(csv.text, { columns: true, bom: true });
  expect(read).toEqual([
    {
      row: '1',
      line: '2',
      token: 'order-1',
      outcome: 'applied',
      attempts: '1',
      status: '200',
      message: '',
      hint: '',
    },
    expect.objectContaining({ row: '2', token: "'=HYPERLINK(1)", outcome: 'rejected', status: '404' }),
    expect.objectContaining({ row: '3', token: `'-2,"x"`, outcome: 'rejected' }),
    expect.objectContaining({
      row: '4',
      line: '5',
      outcome: 'bad',
      message: 'cart: Expected JSON',
      hint: expect.stringMatching(/.+/),
    }),
    expect.objectContaining({
      row: '5',
      line: '6',
      outcome: 'bad',
      message: expect.stringContaining('token: '),
    }),
  ]);

  const ndjson = await ask(desk, `/${id}/result?format=ndjson`);
  expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson');
  const lines = ndjson.text.trimEnd().split('\n').map(readJson);
  expect(lines).toMatchObject([
    { row: 1, outcome: 'applied', attempts: 1, status: 200 },
    { row: 2, token: '=HYPERLINK(1)' },
    { row: 3, token: '-2,"x"' },
    { row: 4, outcome: 'bad' },
    { row: 5, outcome: 'bad' },
  ]);
});

test('writes a result of many pages, in the order of the file', async () => {
  await using desk = await openBulkDesk();
  const { id } = await uploaded(
    desk,
    `token,cart\n${Array.from({ length: 1_234 }, (_, index) => `order-${index},{}`).join('\n')}`,
  );
  const { text } = await ask(desk, `/${id}/result?format=ndjson`);
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => Object(readJson(line)).row);
  expect(rows).toEqual(Array.from({ length: 1_234 }, (_, index) => index + 1));
});

test('decides for rows of unknown outcome, and refuses when there are none', async () => {
  await using desk = await openBulkDesk();
  const { id } = await uploaded(desk, 'token,cart\norder-1,{}\n');
  desk.service.faults.next([{ type: 'reset_after_applying' }]);
  await post(desk, `/${id}/start`);
  await desk.bulks.ended(id);
  expect(await post(desk, `/${id}/decide`, { decision: 'perhaps' })).toMatchObject({ status: 400 });
  expect(await post(desk, `/${id}/decide`, { decision: 'discarded' })).toMatchObject({
    status: 200,
    body: { state: 'done', counts: { discarded: 1 } },
  });
  expect(await post(desk, `/${id}/decide`, { decision: 'discarded' })).toMatchObject({
    status: 409,
    body: { error: { code: 'nothing_to_decide' } },
  });
});

test('removes a bulk with its rows, and not while it is on its way', async () => {
  await using desk = await openBulkDesk();
  const { id } = await uploaded(desk, oneBad);
  desk.service.faults.always({ type: 'latency', ms: 200 });
  await post(desk, `/${id}/start`);
  expect(await ask(desk, `/${id}`, { method: 'DELETE' })).toMatchObject({
    status: 409,
    body: { error: { code: 'on_its_way' } },
  });
  await desk.bulks.ended(id);
  expect(await ask(desk, `/${id}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect(await ask(desk, `/${id}`)).toMatchObject({ status: 404, body: { error: { code: 'unknown_bulk' } } });
  expect(await desk.storage.database.selectFrom('bulk_rows').selectAll().execute()).toEqual([]);
});

test.each([
  ['a file without a column token', 'a,b\n1,2\n', {}, 422, 'no_token_column'],
  ['an empty file', '', {}, 422, 'empty'],
  ['a picture', new Uint8Array([0, 1, 2]), {}, 422, 'not_text'],
  ['a file of more than 16 MiB', new Uint8Array(16 * 1_048_576 + 1), {}, 413, 'too_large'],
  ['another type', '{}', { 'content-type': 'application/json' }, 415, 'unknown_format'],
] as const)('refuses %s, and keeps nothing of it', async (_, file, headers, status, code) => {
  await using desk = await openBulkDesk();
  expect(await upload(desk, file, headers)).toMatchObject({
    status,
    body: { error: { code, message: expect.any(String) } },
  });
  expect((await ask(desk, '')).body).toEqual({ bulks: [] });
});

test('keeps a file under a plain name when the one given is none', async () => {
  await using desk = await openBulkDesk();
  const names = ['%E0%A4%A', '%00%0A', '', 'x'.repeat(5_000)].map(
    async (name) => (await uploaded(desk, oneBad, { 'x-file-name': name })).name,
  );
  expect(await Promise.all(names)).toEqual(['updates', 'updates', 'updates', 'x'.repeat(200)]);
});

test.each([
  ['/x', 404],
  ['/00000000-0000-4000-8000-000000000000', 404],
  ['/ID/rows?limit=501', 400],
  ['/ID/rows?after=-1', 400],
  ['/ID/rows?state=lost', 400],
  ['/ID/result?format=xlsx', 400],
])('answers %s with %d', async (path, status) => {
  await using desk = await openBulkDesk();
  const { id } = await uploaded(desk, oneBad);
  expect((await ask(desk, path.replace('ID', id))).status).toBe(status);
});
