import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { readUpdateFile, type UpdateFileRow } from '@orders/schema/file';
import { afterAll, expect, test } from 'vitest';
import { fileCases } from '../../../.ci/spreadsheet-files.ts';
import { withinTheTest } from '../../../.ci/within-the-test.ts';
import { formatCell } from '../server/bulk.ts';
import { readBulkFile } from '../server/bulk-file.ts';
import { ShopUpdate } from '../shared/order-update.ts';

const read = (text: string | Uint8Array, name = 'a.csv') =>
  readBulkFile(typeof text === 'string' ? new TextEncoder().encode(text) : text, name);

test('each column is read at its path, and an empty cell leaves its field out', async () => {
  const rows = await read(
    [
      'token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[1].sku,require_shipping,total_amount,hooks.terms_url',
      'a,007,MUG,2,,TRUE,39900,',
      'b,,TEA,1,MUG,false,,https://shop.example/terms',
    ].join('\n'),
  );
  expect(rows).toEqual([
    {
      row: 2,
      token: 'a',
      update: {
        order_id: '007',
        cart: { items: [{ sku: 'MUG', quantity: 2 }] },
        require_shipping: true,
        total_amount: 39900,
      },
      issues: [],
    },
    {
      row: 3,
      token: 'b',
      update: {
        cart: { items: [{ sku: 'TEA', quantity: 1 }, { sku: 'MUG' }] },
        require_shipping: false,
        hooks: { terms_url: 'https://shop.example/terms' },
      },
      issues: [],
    },
  ]);
});

// What the reader finds in each of them, its own tests say.
test.each(fileCases)('the app reads as the package: $what', async ({ name = 'a.csv', content, options }) => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const wanted: UpdateFileRow[] = [];
  for await (const row of readUpdateFile(Readable.from([bytes]), ShopUpdate, { ...options, name }))
    wanted.push(row);
  const reading = readBulkFile(bytes, name, options);
  if (wanted.some(({ isUnreadable }) => isUnreadable))
    return expect(reading).rejects.toMatchObject({ status: 422 });
  const read = await reading;
  expect(read).toHaveLength(wanted.length);
  for (const [index, { row, token, update, issues, warnings }] of wanted.entries()) {
    expect(read[index]).toMatchObject({ row, token: token === '' ? null : token });
    // A row that a spreadsheet may have changed is not sent without another look.
    if (issues.length + warnings.length > 0) expect(read[index]?.issues).not.toEqual([]);
    else expect(read[index]).toMatchObject({ update, issues: [] });
  }
});

test('a column update holds JSON, and so does each line of NDJSON', async () => {
  const update = { cart: {}, order_id: 'B' };
  const csv = await read('token,update\na,"{""cart"":{},""order_id"":""B""}"\nb,[]\nc,{\n');
  expect(csv.map((row) => [row.update, row.issues.length])).toEqual([
    [update, 0],
    [undefined, 1],
    [undefined, 1],
  ]);
  const lines = [JSON.stringify({ token: 'a', update }), '', '{"token":"b"}', 'no JSON', '[1]'].join('\r\n');
  const rows = await read(lines, 'a.ndjson');
  expect(rows.map((row) => [row.token, row.update, row.issues.length])).toEqual([
    ['a', update, 0],
    ['b', undefined, 1],
    [null, undefined, 1],
    [null, undefined, 2],
  ]);
});

test.each([
  ['a fraction', 'cart.items[0].quantity', '2.5'],
  ['a decimal comma', 'cart.items[0].unit_price', '2,5'],
  ['more digits than a number holds', 'total_amount', '9007199254740993000000'],
  ['an unknown currency', 'purchase_currency', 'EUX'],
  ['what is neither true nor false', 'express_shipping', 'maybe'],
])('%s is an issue of its column', async (_, column, cell) => {
  const [row] = await read(`token,cart.items[0].sku,${column}\na,MUG,"${cell}"\n`);
  expect(row?.issues).toMatchObject([{ path: column, message: expect.any(String) }]);
  expect(row?.update).toBeUndefined();
});

test('a row with a cell too few or too many, or with a wrong token, does not end the file', async () => {
  const rows = await read('token,cart.items[0].sku\na\nb,X,more\n..,X\n,X\nc,X\n');
  expect(rows.map(({ issues }) => issues.map(({ path }) => path))).toEqual([
    [''],
    [''],
    ['token'],
    ['token'],
    [],
  ]);
});

test('what spreadsheets write is read: a byte order mark, semicolons or tabs, CR LF, empty rows', async () => {
  const semicolons = await read(
    '\uFEFF"token";"order_id";"cart.items[0].sku"\r\n"a";"1,5";"X"\r\n;;\r\n"b";"2";"X"\r\n',
  );
  expect(semicolons).toMatchObject([
    { token: 'a', update: { order_id: '1,5' } },
    { token: 'b', issues: [] },
  ]);
  const tabs = await read('order_id\ttoken\tcart.items[0].sku\n5" pipe\ta\tX\n');
  expect(tabs).toMatchObject([{ token: 'a', update: { order_id: '5" pipe' }, issues: [] }]);
});

test.each([
  ['no column token', 'order_id\n1\n', { row: 1, column: 'token' }],
  ['a column twice', 'token,order_id,order_id\na,1,2\n', { row: 1, column: 'order_id' }],
  ['a column that is part of another', 'token,cart,cart.items[0].sku\na,,X\n', { row: 1, column: 'cart' }],
  ['a column that is no field', 'token,Customer name\na,Kari\n', { row: 1, column: 'Customer name' }],
  ['an update beside fields', 'token,update,order_id\na,{},1\n', { row: 1, column: 'update' }],
  ['a quote that is never closed', 'token,order_id\na,1\nb,"2\n', { row: 3 }],
  ['no rows', 'token,order_id\n', {}],
  ['nothing', '', {}],
  ['bytes that are no text', Uint8Array.of(0x50, 0x4b, 0x03, 0x04, 0xff), {}],
  ['zero bytes', 'token\0', {}],
])('%s is an error of the file, with row and column', async (_, text, details) => {
  await expect(read(text)).rejects.toMatchObject({ status: 422, code: 'unreadable_file', details });
});

/** Reads files in a thread, which can be ended while it never gives way. */
let reader: Worker | undefined;
function startReader(): Worker {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData).then(({ readBulkFile }) => parentPort.on('message', async ([text, name]) => {
      const error = await readBulkFile(new TextEncoder().encode(text), name).catch((error) => error);
      parentPort.postMessage(error.details ?? error.length);
    }));`;
  const workerData = new URL('../server/bulk-file.ts', import.meta.url).href;
  return new Worker(source, { eval: true, execArgv: ['--conditions=@orders/source'], workerData });
}
afterAll(() => reader?.terminate());

/** So many that quadratic time would be many minutes. */
const many = 1_000_000;

test.each([
  ['separators', `token,${','.repeat(many)}\n`, { row: 1 }],
  ['quotes', `token,order_id\nx,${'"'.repeat(many)}\n`, 1],
  ['spaces in a name', `token,${' '.repeat(many)}x\n`, { row: 1, column: 'x' }],
  ['names that are almost a path', `token,${'a.'.repeat(many / 2)}!\n`, { row: 1 }],
  ['blanks before a separator', `token,order_id\na,${' '.repeat(many)}=\n`, 1],
])('a file of %s is read in linear time', async (_, text, result) => {
  reader ??= startReader();
  reader.postMessage([text, 'a.csv']);
  expect(await once(reader, 'message')).toMatchObject([result]);
});

test('a file has at most 50,000 rows', async () => {
  reader ??= startReader();
  reader.postMessage(['x\n'.repeat(50_001), 'a.ndjson']);
  expect(await once(reader, 'message')).toEqual([{ row: 50_001 }]);
});

test.each([
  ['4 KiB', `token,order_id\n${'\n'.repeat(100 * 1_024)}`, 'a.csv', 25],
  ['row', `[${'{},'.repeat(100)}{}]`, 'a.json', 100],
])('while a file is read, requests get a turn after every %s', async (_, text, name, least) => {
  let isRead = false;
  const reading = read(text, name)
    .catch(() => {})
    .finally(() => {
      isRead = true;
    });
  let turns = 0;
  for (; !isRead; turns++) await nextTurn();
  await reading;
  expect(turns).toBeGreaterThanOrEqual(least);
});

test('no cell of a result file is a formula, whatever separates the cells', () => {
  expect(formatCell('=1+1')).toBe(`"'=1+1"`);
  expect(formatCell('a;=1+1')).toBe(`"a;'=1+1"`);
  expect(formatCell('a\t@SUM(A1)')).toBe(`"a\t'@SUM(A1)"`);
  expect(formatCell('a, "-1+1"')).toBe(`"a,' ""-1+1"""`);
  expect(formatCell('a\n+1')).toBe(`"a\n'+1"`);
  expect(formatCell('plain text')).toBe('plain text');
  for (const text of ['\t', ' ', ';', '"', ',"'])
    expect(withinTheTest(() => formatCell(text.repeat(1e6)))).toMatch(/^"?.{1000000}/s);
});
