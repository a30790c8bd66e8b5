import { type Advice, between } from '../../../.ci/advice.ts';
import { readUpdateFile, type UpdateFileOptions, type UpdateFileRow } from '../src/file.ts';
import { OrderUpdate } from '../src/index.ts';

async function readFile(text: string, options: UpdateFileOptions = {}): Promise<readonly UpdateFileRow[]> {
  const rows: UpdateFileRow[] = [];
  const bytes = (async function* () {
    yield new TextEncoder().encode(text);
  })();
  for await (const row of readUpdateFile(bytes, OrderUpdate, options)) rows.push(row);
  return rows;
}

const about = async (text: string, options?: UpdateFileOptions): Promise<string> => {
  const rows = await readFile(text, options);
  const [first] = rows.flatMap(({ issues, warnings }) => [...issues, ...warnings]);
  return first?.hint === undefined ? (first?.message ?? 'passed') : `${first.message}. ${first.hint}`;
};

const item = 'cart.items[0]';
/** The quoted cell with a quote that the advice shows, read as a name. */
const quoted = await readFile(`token,${item}.name\na,"5"" pipe"`);

/** What `readUpdateFile` says to write. */
export const fileAdvice: readonly Advice[] = [
  {
    mistake: 'an inch mark in a quoted cell',
    message: await about(`token,${item}.name\na,"5" pipe"`),
    follow: (message) =>
      between('twice: ', '.')(message) === '"5"" pipe"' && quoted[0]?.update.cart.items?.[0]?.name,
    means: '5" pipe',
  },
  {
    mistake: 'a quote that is never closed',
    message: await about(`token,${item}.name\na,"5`),
    follow: (message) =>
      between('twice: ', '.')(message) === '"5"" pipe"' && quoted[0]?.update.cart.items?.[0]?.name,
    means: '5" pipe',
  },
  {
    mistake: 'no column of the cart',
    message: await about('token,order_id\na,A'),
    choice: `Add a column such as ${item}.sku.`,
    heeded: await about(`token,order_id,${item}.sku\na,A,b`),
  },
  {
    mistake: 'a column for the whole cart',
    message: await about('token,order_id,cart\na,A,{}'),
    choice: `Write a column for each of its fields, such as ${item}.sku.`,
    heeded: await about(`token,order_id,${item}.sku\na,A,`),
  },
  {
    mistake: 'too many columns',
    message: await about(
      `token,${Array.from({ length: 1_000 }, (_, index) => `cart.items[${index}].sku`)}\n`,
    ),
    choice: 'Write it as NDJSON.',
    heeded: await about('{"token":"a","update":{"cart":{"items":[{"sku":"b"}]}}}\n', { format: 'ndjson' }),
  },
  {
    mistake: 'a file that is too long',
    message: await about(`[${' '.repeat(64 * 1_048_576)}]`, { format: 'json' }),
    choice: 'Write it as NDJSON, which is read line by line.',
    heeded: await about('{"token":"a","update":{"cart":{}}}\n', { format: 'ndjson' }),
  },
  {
    mistake: 'missing cells',
    message: await about(`token,${item}.sku,order_id\na,b`),
    choice:
      'Write the separators of blank cells, too; Excel does when the last column is filled in each row.',
    heeded: await about(`token,${item}.sku,order_id\na,b,`),
  },
  {
    mistake: 'a separator in a cell',
    message: await about(`token,${item}.sku\na,b,c`),
    choice: 'Write quotes around a cell that holds the separator.',
    heeded: await about(`token,${item}.sku\na,"b,c"`),
  },
  {
    mistake: 'an amount with undeclared decimals',
    message: await about(`token,${item}.unit_price\na,258.00`),
    choice: 'Write the integer that is sent, or declare how many decimals amounts have in the file.',
    heeded: await about(`token,${item}.unit_price\na,25800`),
  },
  {
    mistake: 'a boolean in words',
    message: await about(`token,require_shipping,${item}.sku\na,maybe,b`),
    choice: 'Write true or false.',
    heeded: await about(`token,require_shipping,${item}.sku\na,false,b`),
  },
  {
    mistake: 'a field beside the update',
    message: await about('{"token":"a","update":{"cart":{}},"order_id":"A"}'),
    choice: 'Write { "token": "...", "update": { "cart": ... } }, with the fields of the update inside.',
    heeded: await about('{"token":"a","update":{"cart":{},"order_id":"A"}}'),
  },
  {
    mistake: 'no token',
    message: await about(`token,${item}.sku\n,b`),
    choice: 'Write the order token that the service generated.',
    heeded: await about(`token,${item}.sku\na,b`),
  },
  {
    mistake: 'the token in the first row of an order alone',
    message: await about(`token,${item}.sku\na,b\n,c`),
    choice: 'Write the token in every row of an order.',
    heeded: await about(`token,${item}.sku\na,b\na,c`, { rows: 'group' }),
  },
  {
    mistake: 'a token that is a folder',
    message: await about(`token,${item}.sku\n..,b`),
    choice: 'Write it as it is: text that is not "." or "..", without control characters.',
    heeded: await about(`token,${item}.sku\na,b`),
  },
  {
    mistake: 'rows of one order that differ',
    message: await about(`token,order_id,${item}.sku\na,A,b\na,B,c`, { rows: 'group' }),
    choice: 'Write the same in each row of the order, or in one of its rows alone.',
    heeded: await about(`token,order_id,${item}.sku\na,A,b\na,A,c`, { rows: 'group' }),
  },
  {
    mistake: 'rows of one order that differ, for who writes the field once',
    message: await about(`token,order_id,${item}.sku\na,A,b\na,B,c`, { rows: 'group' }),
    choice: 'Write the same in each row of the order, or in one of its rows alone.',
    heeded: await about(`token,order_id,${item}.sku\na,,b\na,B,c`, { rows: 'group' }),
  },
  {
    mistake: 'a row for each item',
    message: await about(`token,${item}.sku\na,b\na,c`),
    choice: 'Say that they are one update (group), or that each holds all items of its order (each).',
    heeded: await about(`token,${item}.sku\na,b\na,c`, { rows: 'group' }),
  },
  {
    mistake: 'rows that hold all items of their order each',
    message: await about(`token,${item}.sku\na,b\na,c`),
    choice: 'Say that they are one update (group), or that each holds all items of its order (each).',
    heeded: await about(`token,${item}.sku\na,b\na,c`, { rows: 'each' }),
  },
  {
    mistake: 'one order_id for two orders',
    message: await about(`token,order_id,${item}.sku\na,A,b\nb,A,c`),
    choice: 'Write the order_id of this order; a spreadsheet may have shortened it.',
    heeded: await about(`token,order_id,${item}.sku\na,A,b\nb,B,c`),
  },
  {
    mistake: 'a number that JavaScript does not have',
    message: await about('{"token":"a","update":{"cart":{},"total":12345678901234567890}}'),
    choice: 'Write a number of at most 15 digits.',
    heeded: await about('{"token":"a","update":{"cart":{},"total":123456789012345}}'),
  },
  {
    mistake: 'a mark of text',
    message: await about(`token,${item}.sku\na,'007`),
    choice: 'Write the text alone.',
    heeded: await about(`token,${item}.sku\na,007`),
  },
];
