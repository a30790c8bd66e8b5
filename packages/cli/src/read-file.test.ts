import { defineOrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { expect, test } from 'vitest';
import { createFolder } from '../test/run-orders.ts';
import { MalformedFileError, type ReadOptions, type Row, readRows } from './read-file.ts';

async function read(
  name: string,
  content: string | Uint8Array,
  options?: ReadOptions,
): Promise<readonly Row[]> {
  await using folder = await createFolder({ [name]: content });
  const rows: Row[] = [];
  for await (const row of readRows(folder.file(name), options)) rows.push(row);
  return rows;
}

const header = 'token,order_id,cart.items[0].sku,cart.items[0].unit_price,cart.items[1].sku';

test('a row of CSV is one update, with a line of the cart for each number, and without blank cells', async () => {
  const rows = await read('a.csv', `${header}\nord_1,A-1,mug,25800,cup\nord_2, ,mug,,\n`);
  expect(rows).toMatchObject([
    {
      row: 2,
      token: 'ord_1',
      update: { order_id: 'A-1', cart: { items: [{ sku: 'mug', unit_price: 25800 }, { sku: 'cup' }] } },
      issues: [],
    },
    { row: 3, token: 'ord_2', issues: [] },
  ]);
  expect(rows[1]?.update).toEqual({ cart: { items: [{ sku: 'mug' }] } });
});

test('rows are counted as a spreadsheet counts them', async () => {
  const rows = await read(
    'a.csv',
    'token,order_id,cart.items[0].sku\n\nord_1,"a ""b""\nc",mug\r\nord_2,x,mug',
  );
  expect(rows.map(({ row, update }) => [row, update.order_id])).toEqual([
    [3, 'a "b"\nc'],
    [4, 'x'],
  ]);
});

test('semicolons and tabs separate cells, too, and a byte order mark is no part of a name', async () => {
  const [semicolon] = await read('a.csv', '\ufefftoken;cart.items[0].unit_price\nord_1;"258,00"', {
    decimals: 2,
  });
  expect(semicolon).toMatchObject({ token: 'ord_1', update: { cart: { items: [{ unit_price: 25800 }] } } });
  const [tab] = await read('a.csv', 'token\torder_id\tcart.items[0].sku\nord_1\ta,b;c\tmug');
  expect(tab?.update.order_id).toBe('a,b;c');
});

test('amounts are never guessed', async () => {
  const [row] = await read('a.csv', 'token,cart.items[0].unit_price\nord_1,"258,00"');
  expect(row?.issues).toEqual([
    {
      row: 2,
      line: 2,
      column: 2,
      code: 'too_many_decimals',
      path: 'cart.items[0].unit_price',
      found: '"258,00"',
      message: 'Amounts are sent as integers',
      hint: 'Write the integer, or declare the decimals: with --decimals 2, 258,00 is sent as 25800.',
    },
  ]);
});

test.for([
  ['token,cart\na,b', 'the column "cart"'],
  ['token,billing_address\na,b', 'the column "billing_address"'],
  ['token,,order_id\na,b,c', 'a column has no name'],
  ['token,order_id\na,b\nc', 'row 3: Invalid Record Length'],
  ['token,order_id\na,"b', 'row 2: Quote Not Closed'],
])('a malformed table is refused: %o', async ([content, message]) => {
  await expect(read('a.csv', content as string)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining(message as string),
  });
});

test('all that is wrong in the first row is reported at once, with one list of fields', async () => {
  const error = await read('a.csv', 'tokn,foo,order_id,order_id,bar,cart.items[0].skuu\na,b,c,d,e,f').catch(
    (thrown: MalformedFileError) => thrown,
  );
  if (!(error instanceof MalformedFileError)) throw new Error('It was read.');
  expect(error.issues.map(({ column, message }) => [column, message])).toEqual([
    [1, 'the first row has no column "token"'],
    [1, 'the column "tokn" is no field'],
    [2, 'the column "foo" is no field'],
    [4, 'the column "order_id" is there twice'],
    [5, 'the column "bar" is no field'],
    [6, 'the column "cart.items[0].skuu" is no field'],
  ]);
  expect(error.message.match(/Known: token, order_id/g)).toHaveLength(1);
  expect(error.message).toContain('is no field. Did you mean "token"? the column');
  expect(error.message).toContain('Did you mean "cart.items[0].sku"');
});

test('a row of more than 4 MiB is refused before it fills the memory', async () => {
  const open = `token,order_id\na,b\nc,"${'x'.repeat(5_000_000)}`;
  await expect(read('a.csv', open)).rejects.toThrow(
    'row 3: the row is longer than 4 MiB. Is a quote in it, or in a row before, not closed?',
  );
});

test('hints show amounts and booleans as the cells of the file have them', async () => {
  const hints = async (content: string, decimals?: number) => {
    const [row] = await read('a.csv', content, { decimals });
    return row?.issues.map(({ message, hint }) => hint ?? message);
  };
  const column = 'cart.items[0].unit_price';
  expect(await hints(`token;${column}\na;1.299,50`, 2)).toEqual([
    'Write an amount without spaces or thousands separators, such as 1299,00.',
  ]);
  expect(await hints(`token,${column}\na,x`, 2)).toEqual(['Write an amount such as 1299.00.']);
  expect(await hints(`token,${column}\na,129.00`)).toEqual([expect.stringContaining(', 258.00 is sent')]);
  expect(await hints('token,require_shipping,cart.items[0].sku\na,maybe,mug')).toEqual([
    'Write true or false.',
  ]);
});

test('a token that is missing is an issue of its own', async () => {
  const [csv, other] = await read('a.csv', 'token,cart.items[0].sku\n,mug\n..,mug');
  expect(csv?.issues).toMatchObject([
    { message: 'The token is missing', hint: 'Write the order token that the service generated.' },
  ]);
  expect(other?.issues).toMatchObject([
    { message: 'Expected the order token that the service generated', found: '".."' },
  ]);
});

test('fields of an address need no declaration, and those of a schema of yours are known', async () => {
  const schema = defineOrderUpdate({ totalAmount: 'total' }) as OrderUpdateSchema;
  const content = 'token,total,shipping_address.zip,cart.items[0].sku\nord_1,1.50,01234,mug';
  const [row] = await read('a.csv', content, { schema, decimals: 2 });
  expect(row).toMatchObject({ issues: [], update: { total: 150, shipping_address: { zip: '01234' } } });
});

test('text that is not UTF-8 is refused, since names would change', async () => {
  const latin1 = Buffer.from('token,order_id\nord_1,M\u00fcller', 'latin1');
  await expect(read('a.csv', latin1)).rejects.toThrow('is not UTF-8 (after byte 0): save it as UTF-8');
});

test('issues of JSON have the line and the column of the value', async () => {
  const text =
    '[\n  { "token": "ord_1",\n    "update": { "cart": { "items": [\n      { "quantity": "2" } ] } } }\n]';
  const [row] = await read('a.json', text);
  expect(row?.issues).toMatchObject([
    { row: 1, line: 4, column: 21, path: 'cart.items[0].quantity', code: 'invalid_type', found: '"2"' },
  ]);
});

test('NDJSON has an update on each line that is not blank', async () => {
  const rows = await read(
    'a.ndjson',
    '{"token":"ord_1","update":{"cart":{}}}\r\n\n{"token":"","update":{"cart":{}}}\n{"token":"ord_1","cart":{}}',
    { needsToken: true },
  );
  expect(
    rows.map(({ row, token, issues }) => [row, token, issues.map(({ code, line }) => [code, line])]),
  ).toEqual([
    [1, 'ord_1', []],
    [3, '', [['invalid_token', 3]]],
    [4, '', [['misplaced', 4]]],
  ]);
  await expect(read('a.jsonl', '{"token":"a","update":{"cart":{}}}\n{')).rejects.toThrow('row 2: not JSON');
});

test('what a file holds shows its format where its name does not', async () => {
  const formats = {
    '{"cart":{}}\n{"cart":{}}': 2,
    '{\n"cart":{}}': 1,
    ' [{"cart":{}}]': 1,
    'token,order_id\na,b': 1,
  };
  for (const [content, count] of Object.entries(formats))
    expect(await read('a', content)).toHaveLength(count);
});

test('a line break inside a piece of the file changes nothing', async () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, index) => `{"token":"ord_${index}","update":{"cart":{},"order_id":"é"}}`,
  );
  const rows = await read('a.ndjson', lines.join('\n'));
  expect(rows.map(({ token }) => token)).toEqual(lines.map((_, index) => `ord_${index}`));
  expect(rows.every(({ update }) => update.order_id === 'é')).toBe(true);
});
