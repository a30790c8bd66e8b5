import { readFile } from 'node:fs/promises';
import { explain } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeskUpdate } from '../contract/desk-update.ts';
import { readPlace } from './bulk-column.ts';
import { BulkFileError } from './bulk-file-error.ts';
import { type BulkFormat, readBulkFile } from './bulk-read-file.ts';

interface Read {
  readonly row: number;
  readonly line: number;
  readonly token: string;
  readonly update: unknown;
  readonly issues: readonly { readonly path: string; readonly code: string; readonly hint?: string }[];
}

/** Reads a file that comes in pieces of so many bytes. */
async function read(
  file: string | Uint8Array,
  format: BulkFormat = 'csv',
  pieceBytes = 65_536,
): Promise<Read[]> {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield bytes.subarray(start, start + pieceBytes);
    }
  }
  const rows: Read[] = [];
  for await (const row of readBulkFile(pieces(), { format, schema: DeskUpdate })) {
    rows.push({ ...row, update: JSON.parse(row.update) });
  }
  return rows;
}

const codesOf = ({ issues }: Read) => issues.map(({ path, code }) => `${path} ${code}`);

test('reads each column at its path, numbers and booleans as such, and leaves empty cells out', async () => {
  const rows = await read(
    [
      'token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[1].sku,require_shipping,total_amount,hooks.terms_url',
      'a,007,MUG,2,,TRUE,39900,',
      'b,,TEA,1,MUG,false,,https://shop.example/terms',
    ].join('\n'),
  );
  expect(rows).toEqual([
    {
      row: 1,
      line: 2,
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
      row: 2,
      line: 3,
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

test('reads JSON in the columns of objects, and in the column update', async () => {
  const [first, second] = await read(
    'token,update,cart,shipping_address\n' +
      'a,,"{""items"":[{""quantity"":1}]}","{""city"":""Oslo""}"\n' +
      'b,"{""cart"":{},""order_id"":""B""}",,\n',
  );
  expect(first?.update).toEqual({ cart: { items: [{ quantity: 1 }] }, shipping_address: { city: 'Oslo' } });
  expect(second?.update).toEqual({ cart: {}, order_id: 'B' });
});

test.each([
  ['a fraction', 'cart.items[0].quantity', '2.5', 'cart.items[0].quantity not_integer'],
  [
    'a comma as spreadsheets write it',
    'cart.items[0].unit_price',
    '2,5',
    'cart.items[0].unit_price invalid_type',
  ],
  ['more digits than a number holds', 'total_amount', '9007199254740993000000', 'total_amount out_of_range'],
  ['an unknown currency', 'purchase_currency', 'EUX', 'purchase_currency invalid_currency'],
  ['what should be JSON', 'shipping_address', 'Oslo', 'shipping_address not_json'],
  ['what should be an object', 'update', '[]', 'update not_json'],
  ['what is neither true nor false', 'express_shipping', 'yes', 'express_shipping invalid_type'],
  ['a column that is no path', 'Customer name', 'Kari', 'Customer name bad_column'],
  ['a column without a name', '', 'x', ' bad_column'],
  ['a column that would change every object', '__proto__.sku', 'x', ' not_serializable'],
  ['a field that is given twice', 'cart', '{"items":[]}', 'cart given_twice'],
  ['a gap in a list', 'cart.items[2].sku', 'MUG', 'cart.items[1] gap'],
  ['a list that is an object as well', 'cart.items.first', 'MUG', 'cart.items given_twice'],
])('explains %s', async (_, column, cell, issue) => {
  const quoted = `"${cell.replaceAll('"', '""')}"`;
  const [row] = await read(`token,cart.items[0].sku,${column}\na,MUG,${quoted}\n`);
  expect(row?.issues.map(({ path, code }) => `${path} ${code}`)).toContainEqual(
    expect.stringMatching(issue.replace(/[.[\]]/g, '\\$&')),
  );
  expect(row?.issues.every(({ hint }) => hint)).toBe(true);
});

test('explains a row with a cell too few or too many, and reads on', async () => {
  const rows = await read('token,cart\na\nb,{},more\nc,{}\n');
  expect(rows.map(codesOf)).toEqual([[' wrong_cells'], [' wrong_cells'], []]);
});

test('explains a token that no order has', async () => {
  const rows = await read('token,cart\n,{}\n..,{}\n');
  expect(rows.map(codesOf)).toEqual([['token invalid_token'], ['token invalid_token']]);
});

test('reads what spreadsheets write: a byte order mark, semicolons, CR LF, rows left empty', async () => {
  const rows = await read('\uFEFF"token";"order_id";"cart"\r\n"a";"1,5";"{}"\r\n;;\r\n"b";"2";"{}"\r\n');
  expect(rows).toMatchObject([
    { row: 1, line: 2, token: 'a', update: { order_id: '1,5' } },
    { row: 2, line: 4, token: 'b' },
  ]);
});

test('reads tabs between cells, and a quote within one as it stands', async () => {
  const rows = await read('order_id\ttoken\tcart\n5" pipe\ta\t{"items":[]}\n');
  expect(rows).toMatchObject([
    { token: 'a', update: { order_id: '5" pipe', cart: { items: [] } }, issues: [] },
  ]);
});

test('divides the first row by the sign beside token, whatever stands most often in the names', async () => {
  const rows = await read('token;note["a,b,c,d"];cart\na;x;{}\n');
  expect(rows).toMatchObject([{ token: 'a', update: { note: { 'a,b,c,d': 'x' }, cart: {} }, issues: [] }]);
});

test('tells the line where a row begins, whatever its cells and its neighbours hold', async () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const cell = fc
    .array(fc.constantFrom('x', '"', ',', '\n', '\r\n', '\r', ' '), { maxLength: 6 })
    .map((signs) => signs.join(''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ cell, end: lineEnd, blanks: fc.nat(2) }), { minLength: 1 }),
      fc.integer({ min: 1, max: 30 }),
      async (given, pieceBytes) => {
        let file = 'token,order_id,cart\n';
        const lines: number[] = [];
        for (const { cell, end, blanks } of given) {
          lines.push(file.split(/\r\n|\r|\n/).length);
          file += `t,"${cell.replaceAll('"', '""')}",{}${end}${'\n'.repeat(blanks)}`;
        }
        const rows = await read(file, 'csv', pieceBytes);
        expect(rows.map(({ line }) => line)).toEqual(lines);
        expect(rows.map(({ update }) => update)).toEqual(
          given.map(({ cell }) => ({ ...(cell === '' ? {} : { order_id: cell }), cart: {} })),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('reads NDJSON line by line, and explains the lines that are no update', async () => {
  const rows = await read(
    [
      '{"token":"a","update":{"cart":{},"order_id":"1"}}',
      '',
      '{"token":"b","cart":{}}\r',
      '{"token":"c","update":{"cart":',
      '[]',
      '{"token":5,"update":{"cart":{}}}',
      '{"token":"d","update":{"orderId":"x","cart":{}}}',
    ].join('\n'),
    'ndjson',
  );
  expect(rows.map(({ line, token }) => [line, token])).toEqual([
    [1, 'a'],
    [3, 'b'],
    [4, ''],
    [5, ''],
    [6, ''],
    [7, 'd'],
  ]);
  expect(rows.map(codesOf)).toEqual([
    [],
    ['update required'],
    [' not_json'],
    [' not_json'],
    ['token invalid_type'],
    ['orderId misspelled'],
  ]);
  expect(rows[3]?.update).toBe('[]');
});

test('skips a line that is too long, and reads on', async () => {
  const long = `{"token":"a","update":{"cart":{},"note":"${'x'.repeat(1_048_576)}"}}`;
  const rows = await read(`${long}\n{"token":"b","update":{"cart":{}}}`, 'ndjson');
  expect(rows.map(codesOf)).toEqual([[' row_too_long'], []]);
  expect(JSON.stringify(rows[0]?.update).length).toBeLessThan(3_000);
});

test('keeps the first issues of a row that has thousands', async () => {
  const [row] = await read(
    JSON.stringify({ token: 'a', update: { cart: { items: Array(5_000).fill(1) } } }),
    'ndjson',
  );
  expect(row?.issues).toHaveLength(21);
  expect(row?.issues.at(-1)).toMatchObject({ code: 'more' });
});

test.each([
  ['nothing', '', 'csv', 'empty'],
  ['blanks', ' \n\n', 'ndjson', 'empty'],
  ['a header alone', 'token,cart\n', 'csv', 'empty'],
  ['no column token', 'order,cart\na,{}\n', 'csv', 'no_token_column'],
  ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'csv', 'not_text'],
  ['Latin-1', new Uint8Array([0x74, 0xf8, 0x0a]), 'ndjson', 'not_text'],
  ['half a character at the end', new Uint8Array([0x74, 0xc3]), 'csv', 'not_text'],
  ['a quote that is never closed', 'token,cart\na,{}\nb,"{}\nc,{}\n', 'csv', 'quote_not_closed'],
  ['prose', 'Dear service,\nplease update.\n', 'ndjson', 'no_json_lines'],
  ['a row of two megabytes', `token,order_id\na,${'x'.repeat(2_097_152)}\n`, 'csv', 'row_too_long'],
  ['more than 16 MiB', new Uint8Array(16 * 1_048_576 + 1).fill(0x0a), 'csv', 'too_large'],
  ['50,001 rows', `token,cart\n${'a,{}\n'.repeat(50_001)}`, 'csv', 'too_many_rows'],
  [
    'long names for many rows',
    `token,cart,${'n'.repeat(255)}\n${'a,{},1\n'.repeat(50_000)}`
      .replace(
        ',cart,',
        `,cart,${Array.from({ length: 8 }, (_, index) => `${'n'.repeat(250)}${index}`).join(',')},`,
      )
      .replaceAll('{},1', '{},1,1,1,1,1,1,1,1,1'),
    'csv',
    'too_large',
  ],
] as const)('refuses a file of %s, and says why', async (_, file, format, code) => {
  const error = await read(file, format).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BulkFileError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/\.$|\}\}$/) });
});

test('tells where the quote opens that is never closed', async () => {
  await expect(read('token,cart\na,{}\nb,"{}\nc,{}\n')).rejects.toThrow(/line 3/);
});

test('every row that is valid comes back as it was written, in both formats', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !text.includes('\0'));
  const token = fc.string({ unit: 'grapheme-ascii', minLength: 3 });
  const item = fc.record({ sku: text, quantity: fc.maxSafeInteger() }, { requiredKeys: ['sku'] });
  const update = fc.record({ order_id: text, cart: fc.record({ items: fc.tuple(item, item) }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ token, update }), { minLength: 1, maxLength: 8 }),
      async (given) => {
        const ndjson = given.map((row) => JSON.stringify(row)).join('\n');
        const columns = [
          'token',
          'order_id',
          ...[0, 1].flatMap((n) => [`cart.items[${n}].sku`, `cart.items[${n}].quantity`]),
        ];
        const cells = given.map(({ token, update: { order_id, cart } }) =>
          [token, order_id, ...cart.items.flatMap(({ sku, quantity }) => [sku, String(quantity ?? '')])]
            .map((cell) => `"${cell.replaceAll('"', '""')}"`)
            .join(','),
        );
        for (const rows of [await read(ndjson, 'ndjson'), await read([columns, ...cells].join('\n'))]) {
          expect(rows.map(({ token, update }) => ({ token, update }))).toEqual(given);
          expect(rows.flatMap(({ issues }) => issues)).toEqual([]);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('never throws anything but a clear error, whatever the bytes and however they come', async () => {
  const sign = fc.constantFrom(
    'token',
    ',',
    ';',
    '"',
    '\n',
    '\r',
    '{',
    '}',
    '[',
    ']',
    ':',
    'cart',
    '.items',
    '0',
    ' ',
    'é',
    '\uFEFF',
    '__proto__',
  );
  const file = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(sign, { maxLength: 60 }).map((signs) => new TextEncoder().encode(`token,${signs.join('')}`)),
    fc.json().map((json) => new TextEncoder().encode(`{"token":"a","update":${json}}`)),
  );
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.constantFrom('csv', 'ndjson'),
      fc.integer({ min: 1, max: 20 }),
      async (bytes, format, pieceBytes) => {
        try {
          const rows = await read(bytes, format, pieceBytes);
          expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
        } catch (error) {
          expect(error).toBeInstanceOf(BulkFileError);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('reads a path as issues write it', () => {
  const key = fc.oneof(fc.nat(9_999), fc.string({ minLength: 1, maxLength: 8 }));
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 8 }),
      fc.array(key, { maxLength: 5 }),
      (first, others) => {
        const [issue] = explain({ issues: [{ message: '', path: [first, ...others] }] });
        // A first name that is no word is in brackets: a column may be named so.
        expect(readPlace(issue?.path ?? '')).toEqual([first, ...others]);
      },
    ),
  );
});

test.each(['csv', 'ndjson'] as const)(
  'reads every row of the example in %s that the page offers',
  async (format) => {
    const example = await readFile(new URL(`../page/bulk/example.${format}`, import.meta.url));
    const rows = await read(example, format);
    expect(rows).toHaveLength(2);
    expect(rows.flatMap(({ issues }) => issues)).toEqual([]);
  },
);
