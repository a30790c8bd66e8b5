import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeRow, fileCases } from '../../../.ci/spreadsheet-files.ts';
import { quickly } from '../../../.ci/start-quickly.ts';
import { readUpdateFile, type UpdateFileOptions, type UpdateFileRow } from './file.ts';
import { defineOrderUpdate, OrderUpdate, type OrderUpdateSchema } from './index.ts';

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** The bytes in pieces, so that a character, a line end or a quote may be cut. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(
  content: string | Uint8Array,
  {
    size = 65_536,
    schema = OrderUpdate as unknown as OrderUpdateSchema,
    ...options
  }: UpdateFileOptions & { readonly size?: number; readonly schema?: OrderUpdateSchema } = {},
): Promise<readonly UpdateFileRow[]> {
  const rows: UpdateFileRow[] = [];
  for await (const row of readUpdateFile(inPieces(bytesOf(content), size), schema, options)) rows.push(row);
  return rows;
}

test.each(fileCases)('$what', async ({ name = 'a.csv', content, options, rows }) => {
  const found = await read(content, { name, ...options });
  expect(found.flatMap(describeRow)).toEqual(rows);
  // A character, a line end or a quote may be cut.
  for (const size of [1, 2, 3, 7])
    expect((await read(content, { name, ...options, size })).flatMap(describeRow)).toEqual(rows);
});

const csv = (content: string, options?: Parameters<typeof read>[1]) =>
  read(content, { name: 'a.csv', ...options });

test('who adds the column that the issue about a missing field names, gets no such issue', async () => {
  const order = {
    channel: z.string(),
    tags: z.array(z.string()),
    extra: z.looseObject({}),
    parcel: z.object({ weight: z.int(), size: z.optional(z.string()) }),
    stops: z.array(z.object({ place: z.string() })),
  };
  const item = { code: z.string() };
  const schema = defineOrderUpdate({ fields: { order, item } }) as unknown as OrderUpdateSchema;
  const columns = ['token', 'order_id'];
  const cells = ['ord_1', 'A'];
  const missing = async () => {
    const [row] = await csv([columns, cells].join('\n'), { schema });
    return row?.issues ?? [];
  };
  const added: string[] = [];
  for (let issues = await missing(); issues.length > 0; issues = await missing()) {
    const [{ code, path, hint = '' } = { code: '', path: '' }] = issues;
    expect([code, issues[0]?.message]).toEqual(['required', `The file has no column for ${path}`]);
    const [, column = ''] = /^Add a column (?:such as )?(\S+)\.$/.exec(hint) ?? [];
    columns.push(column);
    cells.push(column === 'parcel.weight' ? '5' : 'x');
    added.push(column);
  }
  expect(added).toEqual([
    'cart.items[0].sku',
    'cart.items[0].code',
    'channel',
    'tags[0]',
    'extra.name',
    'parcel.weight',
    'stops[0].place',
  ]);
});

test('a required list whose cells are blank is an issue of its first column', async () => {
  const schema = defineOrderUpdate({ fields: { order: { tags: z.array(z.string()) } } }) as OrderUpdateSchema;
  const [row] = await csv('token,cart.items[0].sku,tags[0],tags[1]\nord_1,mug,,', { schema });
  expect(row?.issues).toMatchObject([
    { column: 3, code: 'required', path: 'tags[0]', message: 'Fill in this field.' },
  ]);
});

test.each([
  ['cart', 'cart.items[0].sku'],
  ['cart.items', 'cart.items[0].sku'],
  ['cart.items[1]', 'cart.items[0].sku'],
  ['hooks', 'hooks.user_return_url_on_success'],
])('a column %s is refused with the columns of its parts', async (name, example) => {
  const [row] = await csv(`token,${name}\nord_1,{}`);
  expect(row?.issues).toMatchObject([
    { code: 'unknown_column', hint: `Write a column for each of its fields, such as ${example}.` },
  ]);
});

test('a file without rows has one issue, in every format and encoding, however the bytes are cut', async () => {
  const blank = fc
    .array(fc.constantFrom('\n', '\r\n', ' ', '\t', '\r'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  const contents = {
    csv: fc.tuple(
      blank,
      fc.constantFrom('', 'sep=;\n', 'token,order_id', 'token,cart.items[0].sku\n,\n', '\n,,\n'),
      fc.constantFrom('', '\n', '\n\n'),
    ),
    ndjson: fc.tuple(blank),
    json: fc.tuple(blank, fc.constantFrom('', '[]', '[ \n]'), blank),
  } as const;
  const encode = {
    none: bytesOf,
    'utf-8': (text: string) => bytesOf(`\uFEFF${text}`),
    'utf-16le': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  } as const;
  const options = fc.record({
    rows: fc.constantFrom(undefined, 'group' as const, 'each' as const),
    strict: fc.boolean(),
    requireToken: fc.boolean(),
    size: fc.integer({ min: 1, max: 9 }),
  });
  for (const format of ['csv', 'ndjson', 'json'] as const)
    await fc.assert(
      fc.asyncProperty(
        contents[format] as fc.Arbitrary<readonly string[]>,
        fc.constantFrom('none', 'utf-8', 'utf-16le' as const),
        options,
        async (parts, encoding, given) => {
          // A name is read in the first line alone.
          const text = parts.join('').replace(/^\s+(?=sep=)/, '');
          const content = encode[encoding as 'none'](text);
          expect(await read(content, { ...given, format })).toMatchObject([
            {
              token: '',
              isUnreadable: true,
              issues: [{ row: 1, line: 1, code: 'no_rows', path: '', message: 'The file has no rows' }],
              warnings: [],
            },
          ]);
        },
      ),
    );
});

test('amounts are never guessed', async () => {
  const [row] = await csv('token,cart.items[0].unit_price\nord_1,"258,00"');
  expect(row?.issues).toEqual([
    {
      row: 2,
      line: 2,
      column: 2,
      code: 'undeclared_decimals',
      path: 'cart.items[0].unit_price',
      found: '"258,00"',
      message: 'Amounts are sent as integers',
      hint: 'Write the integer that is sent, or declare how many decimals amounts have in the file.',
    },
  ]);
});

test('all that is wrong in the first row is reported at once', async () => {
  const [row] = await csv('tokn,foo,order_id,order_id,bar,cart.items[0].skuu\na,b,c,d,e,f');
  expect(row?.isUnreadable).toBe(true);
  expect(row?.issues.map(({ column, message }) => [column, message])).toEqual([
    [1, 'The first row has no column "token"'],
    [1, 'The column "tokn" is no field'],
    [2, 'The column "foo" is no field'],
    [4, 'The column "order_id" is there twice'],
    [5, 'The column "bar" is no field'],
    [6, 'The column "cart.items[0].skuu" is no field'],
  ]);
  expect(row?.issues.map(({ hint }) => hint)).toMatchObject({
    1: 'Did you mean "token"?',
    2: expect.stringMatching(/^Known: token, order_id/),
    5: 'Did you mean "cart.items[0].sku"?',
  });
});

test.each([
  ['sku', 'cart.items[0].sku'],
  ['Quantity', 'cart.items[0].quantity'],
  ['unitPrice', 'cart.items[0].unit_price'],
  ['terms_url', 'hooks.terms_url'],
  ['quantiy', 'cart.items[0].quantity'],
])('the hint about a column %s has the path of the field that ends so', async (name, path) => {
  const [row] = await csv(`token,order_id,${name}\nord_1,A,1`);
  expect(row?.issues).toMatchObject([{ code: 'unknown_column', hint: `Did you mean "${path}"?` }]);
});

test.each([
  'amount',
  'cart.items[0].vat_rate',
  'cart.items[0].discount_amount',
  'cart.items[0].net_price',
  'cart.items[0].unit_cost',
  'cart.items[0].vat',
  'cart.items[0].qty',
  'hooks.return_url',
  'shipping_address',
])('a column %s, which means something else, is not taken for a field', async (name) => {
  const [row] = await csv(`token,${name}\nord_1,1`);
  expect(row?.issues).toMatchObject([{ code: 'unknown_column', hint: expect.stringMatching(/^Known: /) }]);
});

test.each(['token', 'order_id', 'update'])('a column %s that is there twice is refused', async (name) => {
  const others = name === 'token' ? 'order_id' : 'token';
  const [row] = await csv(`${others},${name},${name}\na,b,c`);
  expect(row?.issues).toContainEqual(
    expect.objectContaining({ message: `The column "${name}" is there twice`, column: 3 }),
  );
});

const priced = (text: string) => `{"cart":{"items":[{"quantity":2.0,"unit_price":${text}}]}}`;
test.each([
  ['ndjson', `{"token":"ord_1","update":${priced('258.00')}}`],
  ['json', priced('258.00')],
  ['csv', `token,update\nord_1,"${priced('258.00').replaceAll('"', '""')}"`],
] as const)(
  'an amount with decimals in the JSON of %s is a warning, since they are not sent',
  async (format, text) => {
    const options = { format, requireToken: false };
    const warning = {
      code: 'written_decimals',
      path: 'cart.items[0].unit_price',
      found: '258.00',
      message: 'The decimals are not sent: 258 is',
      hint: 'Write the integer that is sent.',
    };
    expect(await read(text, options)).toMatchObject([{ issues: [], warnings: [warning] }]);
    // Who declares decimals means another integer.
    expect(await read(text, { ...options, decimals: 2 })).toMatchObject([
      { issues: [warning], warnings: [] },
    ]);
    expect(await read(text.replace('258.00', '258'), options)).toMatchObject([{ issues: [], warnings: [] }]);
  },
);

test('a long cell is looked at once', async () => {
  const [row] = await csv(`token,cart.items[0].sku\nord_1,${'1'.repeat(1_000_000)}`);
  expect(row).toMatchObject({ issues: [], warnings: [] });
});

test('a field that JSON Schema cannot express is read from CSV', async () => {
  const isEven = z.custom<string>((value) => Number(value) % 2 === 0);
  const schema = defineOrderUpdate({ fields: { order: { even: isEven } } });
  const rows = await csv('token,order_id,even,cart.items[0].sku\nord_1,a,2,MUG\nord_2,b,3,MUG', { schema });
  expect(rows).toMatchObject([{ update: { even: '2' }, issues: [] }, { issues: [{ path: 'even' }] }]);
});

test.each([
  [{ format: 'tsv' }, `readUpdateFile: format: got "tsv". Pass 'csv', 'ndjson' or 'json'.`],
  [{ rows: 'grouped' }, `readUpdateFile: rows: got "grouped". Pass 'group' or 'each'.`],
  [{ decimals: 16 }, 'readUpdateFile: decimals: got 16. Pass an integer from 0 to 15.'],
  [{ decimals: -1 }, 'readUpdateFile: decimals: got -1. Pass an integer from 0 to 15.'],
  [{ decimals: '2' }, 'readUpdateFile: decimals: got "2". Pass an integer from 0 to 15.'],
])('refuses the options %j', async (options, message) => {
  await expect(read('', options as object)).rejects.toThrow(new TypeError(message));
});

test('a stream of the web is read where it cannot be iterated, as in Safari, and is cancelled', async () => {
  let isCancelled = false;
  const open = (rows: number) => {
    let row = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytesOf(row === 0 ? 'token,cart.items[0].sku\n' : `ord_${row},mug\n`));
        if (row++ === rows) controller.close();
      },
      cancel() {
        isCancelled = true;
      },
    });
    Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
    return stream;
  };
  const tokens: string[] = [];
  for await (const { token } of readUpdateFile(open(3), OrderUpdate)) tokens.push(token);
  expect([tokens, isCancelled]).toEqual([['ord_1', 'ord_2', 'ord_3'], false]);
  for await (const { row } of readUpdateFile(open(1_000_000), OrderUpdate)) if (row === 5) break;
  expect(isCancelled).toBe(true);
});

test('text in place of bytes is refused, with what to pass', async () => {
  const rows = readUpdateFile(Readable.from(['token\nord_1']), OrderUpdate);
  await expect(rows.next()).rejects.toThrow(
    new TypeError('Expected the bytes of the file, got string. Open it without an encoding.'),
  );
});

test.each(['cart', 'billing_address', 'shipping_address', 'shipping_address.a.b', 'shipping_address.a[0]'])(
  'a column %s is no field, since what is in it would not be sent as it is written',
  async (name) => {
    const [row] = await csv(`token,${name}\na,b`);
    expect(row?.issues).toMatchObject([{ code: 'unknown_column', column: 2 }]);
  },
);

test('fields of an address need no declaration, and those of a schema of yours are known', async () => {
  const schema = defineOrderUpdate({ totalAmount: 'total' }) as OrderUpdateSchema;
  const content = 'token,total,shipping_address.zip,cart.items[0].sku\nord_1,1.50,01234,mug';
  const [row] = await csv(content, { schema, decimals: 2 });
  expect(row).toMatchObject({ issues: [], update: { total: 150, shipping_address: { zip: '01234' } } });
});

test('a row of more than 4 MiB is refused before it fills the memory, at the quote that opens it', async () => {
  const [row, last] = await csv(`token,order_id\na,b\nc,"${'x'.repeat(5_000_000)}`);
  expect(row).toMatchObject({ row: 2, token: 'a' });
  expect(last).toMatchObject({ isUnreadable: true, issues: [{ row: 3, line: 3, column: 2 }] });
});

test('rows of an order are compared and joined as far as 64 MiB hold them', async () => {
  const note = 'x'.repeat(4_190_000);
  const rowsOf = (tokens: readonly string[]): string =>
    tokens.map((token, index) => `${token},sku-${index},${note}\n`).join('');
  const between = Array.from({ length: 17 }, (_, index) => `between-${index}`);
  const apart = `token,cart.items[0].sku,shipping_address.note\n${rowsOf(['ord_1', ...between, 'ord_1'])}`;
  const codesOf = async (text: string, options?: UpdateFileOptions) =>
    (await csv(text, options)).flatMap(({ issues, warnings }) =>
      [...issues, ...warnings].map(({ code }) => code),
    );
  expect(await codesOf(apart)).toEqual([]);
  // Of these the tokens are enough.
  expect(await codesOf(apart, { rows: 'group' })).toEqual(['group_apart']);
  const together = apart.replace(/^between-\d+/gm, 'ord_1');
  expect(await codesOf(together, { rows: 'group' })).toEqual(['group_apart']);
});

test.each(['each', 'group'])('however long rows are, they do not fill the memory (%s)', (rows) => {
  // 150 MB of rows, in a process that may use 60 MB.
  const program = `
import { readUpdateFile } from ${JSON.stringify(import.meta.resolve('./file.ts'))};
import { OrderUpdate } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
async function* file() {
  yield Buffer.from('token,order_id,cart.items[0].sku,shipping_address.note\\n');
  for (let row = 0; row < 3_000; row++)
    yield Buffer.from(\`order-token-\${row},order-id-\${row},mug,\${'x'.repeat(50_000)}\\n\`);
}
let count = 0;
for await (const { issues } of readUpdateFile(file(), OrderUpdate, { name: 'a.csv', rows: '${rows}' }))
  if (issues.length === 0) count++;
console.log(count);`;
  const flags = [...quickly.flags, '--max-old-space-size=60', '--conditions=@orders/source'];
  const { stdout } = spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    env: { ...process.env, ...quickly.env },
    encoding: 'utf8',
  });
  expect(stdout).toBe('3000\n');
});

test('rows of one order are one update of all their items, wherever its fields stand; two values of one are refused', async () => {
  const columns = ['order_id', 'require_shipping', 'total', 'shipping_address.zip', 'hooks.terms_url'];
  const schema = defineOrderUpdate({ totalAmount: 'total' }) as OrderUpdateSchema;
  const own = { order_id: 'A', require_shipping: false, total: 0 };
  const nested = { shipping_address: { zip: '01' }, hooks: { terms_url: 'https://shop.example' } };
  const values = ['A', 'false', '0', '01', 'https://shop.example'];
  // Each field stands in some rows of the order, at least in one.
  const places = fc
    .integer({ min: 2, max: 5 })
    .chain((count) =>
      fc.tuple(
        ...columns.map(() =>
          fc
            .array(fc.boolean(), { minLength: count, maxLength: count })
            .filter((stands) => stands.includes(true)),
        ),
      ),
    );
  const other = fc.option(fc.nat(columns.length - 1), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(places, other, fc.boolean(), async (stands, differing, isJson) => {
      const items = stands[0]?.map((_, row) => ({ sku: `sku-${row}` })) ?? [];
      const cells = items.map((_, row) => values.map((value, index) => (stands[index]?.[row] ? value : '')));
      // A second value, in a row that had none.
      const places = stands[differing ?? -1]?.flatMap((isThere, row) => (isThere ? [] : [row])) ?? [];
      const [at] = places;
      const second = ['B', 'true', '1', '02', 'https://other.example'][differing ?? -1];
      if (at !== undefined && second !== undefined) cells[at]?.splice(differing ?? 0, 1, second);
      const toUpdate = (row: readonly string[], index: number) => {
        const [order_id, shipping, total, zip, terms_url] = row;
        return {
          ...(order_id && { order_id }),
          ...(shipping && { require_shipping: shipping === 'true' }),
          ...(total && { total: Number(total) }),
          ...(zip && { shipping_address: { zip } }),
          ...(terms_url && { hooks: { terms_url } }),
          cart: { items: [items[index]] },
        };
      };
      const header = `token,${columns.join(',')},cart.items[0].sku`;
      const text = isJson
        ? cells.map((row, index) => JSON.stringify({ token: 't', update: toUpdate(row, index) })).join('\n')
        : [header, ...cells.map((row, index) => `t,${row.join(',')},sku-${index}`)].join('\n');
      const [row, ...others] = await read(text, {
        format: isJson ? 'ndjson' : 'csv',
        rows: 'group',
        schema,
      });
      expect(others).toEqual([]);
      if (at === undefined) {
        expect(row).toMatchObject({ issues: [], update: { ...own, ...nested, cart: { items } } });
        return;
      }
      expect(new Set(row?.issues.map(({ code }) => code))).toEqual(new Set(['group_differs']));
      expect(new Set(row?.issues.map(({ path }) => path))).toEqual(new Set([columns[differing ?? 0]]));
    }),
  );
});

test('a field that an order needs stands in one of its rows, or is missing once', async () => {
  const schema = defineOrderUpdate({ fields: { order: { channel: z.string() } } }) as OrderUpdateSchema;
  const rowsOf = (...channels: readonly string[]): string =>
    `token,channel,cart.items[0].sku\n${channels.map((channel, row) => `t,${channel},sku-${row}\n`).join('')}`;
  for (const channels of [
    ['web', '', ''],
    ['', '', 'web'],
  ])
    expect(await csv(rowsOf(...channels), { schema, rows: 'group' })).toMatchObject([
      { issues: [], update: { channel: 'web', cart: { items: [{}, {}, {}] } } },
    ]);
  expect(await csv(rowsOf('', ''), { schema, rows: 'group' })).toMatchObject([
    { issues: [{ row: 2, line: 2, column: 2, code: 'required', path: 'channel' }] },
  ]);
});

test('no advice about a row for each item makes an order lose items', async () => {
  const rows = 'token,order_id,cart.items[0].sku\nord_1,x,mug\nord_1,,cup\nord_1,,plate';
  const [first] = await csv(rows);
  expect(first?.issues).toMatchObject([
    { code: 'row_per_item', hint: expect.stringContaining('that each holds all items of its order') },
  ]);
  const [differing] = await csv(rows.replace(',,cup', ',y,cup'), { rows: 'group' });
  expect(differing?.issues).toMatchObject([{ row: 3, code: 'group_differs', path: 'order_id' }]);
  expect(differing?.issues[0]?.hint).not.toMatch(/own|each row as/);
});

test('a token that is missing is an issue of its own', async () => {
  const [missing, other] = await csv('token,cart.items[0].sku\n,mug\n..,mug');
  expect(missing?.issues).toMatchObject([
    { message: 'The token is missing', hint: 'Write the order token that the service generated.' },
  ]);
  expect(other?.issues).toMatchObject([
    { message: 'Expected the order token that the service generated', found: '".."' },
  ]);
});

test('issues of JSON have the line and the column of the value', async () => {
  const text =
    '[\n  { "token": "ord_1",\n    "update": { "cart": { "items": [\n      { "quantity": "2" } ] } } }\n]';
  const [row] = await read(text, { name: 'a.json' });
  expect(row?.issues).toMatchObject([
    { row: 1, line: 4, column: 21, path: 'cart.items[0].quantity', code: 'invalid_type', found: '"2"' },
  ]);
});

test('what a file holds shows its format where its name does not', async () => {
  const formats = {
    '{"cart":{}}\n{"cart":{}}': 2,
    '{\n"cart":{}}': 1,
    ' [{"cart":{}}]': 1,
    'token,order_id\na,b': 1,
  };
  for (const [content, count] of Object.entries(formats))
    for (const name of [undefined, 'constructor', 'a.txt'])
      expect(await read(content, { name, requireToken: false })).toHaveLength(count);
});

test('NDJSON is recognised by its first line, however long that is and however the bytes are cut', async () => {
  const blank = fc.constantFrom('', '\n', ' \r\n\n', '\uFEFF');
  const length = fc.constantFrom(0, 100, 65_400, 65_536, 200_000);
  const size = fc.constantFrom(1_000, 16_384, 65_536, 1_000_000);
  // A space between the names, which JSON allows: CR ends a line of CSV, and none of NDJSON.
  const space = fc.constantFrom('', ' ', '\r');
  await fc.assert(
    fc.asyncProperty(blank, length, size, space, async (before, characters, pieces, between) => {
      const lineOf = (token: string): string =>
        `{"token":"${token}",${between}"update":{"cart":{"items":[{"sku":"mug"}]},"note":"${'x'.repeat(characters)}"}}\n`;
      const text = `${before}${lineOf('t1')}${lineOf('t2')}`;
      const rows = await read(text, { name: 'a.txt', size: pieces });
      expect(rows.map(({ token, issues }) => [token, issues])).toEqual([
        ['t1', []],
        ['t2', []],
      ]);
    }),
    { numRuns: 60 },
  );
});

test('a first line that never ends is not held beyond 64 MiB', async () => {
  let pieces = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield bytesOf('{"token":"');
    for (; pieces < 8_192; pieces++) yield new Uint8Array(16_384).fill(0x78);
  }
  const rows: UpdateFileRow[] = [];
  for await (const row of readUpdateFile(endless(), OrderUpdate)) rows.push(row);
  expect(rows).toMatchObject([
    { isUnreadable: true, issues: [{ message: 'The file is longer than 64 MiB' }] },
  ]);
  expect(pieces).toBeLessThan(4_200);
});

test('warnings are issues where they are asked for', async () => {
  const [row] = await csv('token,cart.items[0].sku\nt1,NULL', { strict: true });
  expect(row).toMatchObject({ issues: [{ code: 'placeholder', line: 2, column: 2 }], warnings: [] });
});

/** A cell as a spreadsheet writes it: of text alone, since blanks at its ends are warnings, and blank cells left out. */
const cell = fc
  .array(fc.constantFrom('a', 'ö', '😀', '"', ',', ';', '\t', '|', '\n', '\r\n', '\r', ' ', "'"), {
    maxLength: 8,
  })
  .map((parts) => `x${parts.join('')}x`);

test('any table is read as csv-parse reads it, and each row is on its line, however the bytes are cut', async () => {
  const { parse } = await import('csv-parse/sync');
  const row = fc.record({ token: cell, orderId: cell, isQuoted: fc.boolean() });
  const table = fc.array(row, { minLength: 1, maxLength: 6 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      lineEnd,
      fc.integer({ min: 1, max: 9 }),
      async (rows, separator, end, size) => {
        const write = (text: string, isQuoted: boolean): string =>
          isQuoted || /[",;\t|\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = rows.map(({ token, orderId, isQuoted }) =>
          [token, orderId].map((text) => write(text, isQuoted)).join(separator),
        );
        const text = [`token${separator}order_id`, ...lines].join(end);
        const expected: readonly (readonly string[])[] = parse(text, {
          delimiter: separator,
          record_delimiter: end,
        });
        const found = await csv(text, { rows: 'each', size });
        expect(found.map(({ token }) => token)).toEqual(expected.slice(1).map(([token]) => token));
        // Control characters in a token are issues, and hide nothing of the row.
        for (const [index, { row, line, update, issues }] of found.entries()) {
          const before = lines.slice(0, index).join(end);
          expect([row, line]).toEqual([index + 2, 2 + (index === 0 ? 0 : before.split(/\r\n|\n|\r/).length)]);
          if (issues.every(({ path }) => path === 'token'))
            expect(update.order_id).toBe(expected[index + 1]?.[1]);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('a number of JSON is sent as it is written, or it is an issue', async () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})(?:\.\d{1,24})?(?:[eE][+-]?\d{1,3})?$/);
  const number = fc.tuple(fc.constantFrom('', '-'), digits).map((parts) => parts.join(''));
  // Integers of any size, so that values can be compared.
  const exact = (text: string): bigint => {
    const [, sign, whole = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
    const power = Number(exponent) - fraction.length + 1_100;
    return BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(power);
  };
  await fc.assert(
    fc.asyncProperty(number, async (written) => {
      const [row] = await read(`{"token":"t1","update":{"cart":{},"own":${written}}}`, { name: 'a.ndjson' });
      const sent = JSON.stringify(JSON.parse(written));
      const isSame = sent !== 'null' && exact(sent) === exact(written);
      expect(row?.issues.some(({ code }) => code === 'inexact_number')).toBe(!isSame);
    }),
    { numRuns: 500, examples: [['0.1'], ['1e-400'], ['12345678901234567890'], ['-0.0'], ['1e400']] },
  );
});

test('a name that is there twice is an issue at any depth, however it is written', async () => {
  const name = fc.constantFrom('a', 'b', 'é', '__proto__', 'constructor', '');
  const escaped = (text: string): string =>
    `"${[...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { maxLength: 4 }),
      fc.nat(5),
      fc.boolean(),
      async (names, depth, isEscaped) => {
        const fields = names.map((each) => `${isEscaped ? escaped(each) : JSON.stringify(each)}:1`).join(',');
        const own = `${'['.repeat(depth)}{${fields}}${']'.repeat(depth)}`;
        const [row] = await read(`{"token":"t1","update":{"cart":{},"own":${own}}}`, { name: 'a.ndjson' });
        const repeats = names.length - new Set(names).size;
        expect(row?.issues.filter(({ code }) => code === 'duplicate_name')).toHaveLength(repeats);
      },
    ),
  );
});

test('what is nested too deep is an issue', async () => {
  const deep = `{"token":"t1","update":{"cart":{},"own":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  for (const text of [deep, `[${deep}]`]) {
    const [row] = await read(text, { name: text === deep ? 'a.ndjson' : 'a.json' });
    expect(row?.issues).toMatchObject([{ code: 'malformed', message: 'Not JSON: it is nested too deep' }]);
  }
});
