import { expect, test } from 'vitest';
import { createFolder } from '../test/run-orders.ts';
import { type ReadOptions, type Row, readRows } from './read-file.ts';

async function read(content: string, options?: ReadOptions): Promise<readonly Row[]> {
  await using folder = await createFolder({ 'a.csv': content });
  const rows: Row[] = [];
  for await (const row of readRows(folder.file('a.csv'), options)) rows.push(row);
  return rows;
}

test('advice names the flags of the command', async () => {
  const hints = async (content: string): Promise<readonly (string | undefined)[]> =>
    (await read(content)).flatMap(({ issues }) => issues.map(({ hint }) => hint));
  expect(await hints('token,cart.items[0].unit_price\na,129.00')).toEqual([
    'Write the integer that is sent, or declare with --decimals how many decimals amounts have in the file.',
  ]);
  const grouped =
    'Pass --group to make one update of the rows of an order, or --each-row if each holds all items of its order.';
  expect(await hints('token,cart.items[0].sku\na,mug\na,cup')).toEqual([grouped, grouped]);
  expect(await hints('token,foo\na,b')).toEqual([
    expect.stringMatching(
      /^Known: token, .*\. Fields of your own: --schema, or orderUpdate in orders\.json\.$/,
    ),
  ]);
});

test('a file that cannot be opened is an error with its whole path', async () => {
  await using folder = await createFolder();
  const rows = readRows(folder.file('none.csv'));
  await expect(rows.next()).rejects.toMatchObject({
    exitCode: 3,
    message: `Cannot read ${folder.file('none.csv')}: there is no such file.`,
  });
});
