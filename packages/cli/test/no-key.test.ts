import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createBulkFile } from './bulk-file.ts';
import { runHere } from './run-here.ts';
import { createFolder, type EndedRun, startOrders, until } from './run-orders.ts';

const key = 'sk_live_4f1b9c/+ü27';
const forms = [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  ...[`${key}:`, key].flatMap((text) => [
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
    Buffer.from(text).toString('hex'),
  ]),
];

test('the key is in no output, no file and no list of processes, even if the service repeats it', async () => {
  const tokens = Array.from({ length: 20 }, (_, index) => `ord_${index}`);
  await using service = await startMockOrderService({
    keys: [key],
    orders: tokens,
    responses: { errorBody: () => ({ key, all: forms }) },
  });
  const body = JSON.stringify({ error: { message: forms.join(' ') } });
  const echoing = { body, headers: { 'x-key': encodeURIComponent(key), 'x-request-id': forms[4] ?? '' } };
  await using folder = await createFolder({
    'updates.csv': createBulkFile(40, tokens),
    'update.json': '{"cart":{}}',
  });
  const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: service.url };
  const texts: string[] = [];
  const keep = ({ stdout, stderr, code }: EndedRun) => {
    texts.push(stdout, stderr);
    return code;
  };
  const run = async (words: readonly string[]) =>
    keep(await runHere([...words, '--base-url', service.url], { folder, env }));
  service.faults.next(
    [400, 503, 400, 503].map((status) => ({ type: 'status', status, ...echoing }) as const),
    { operation: 'update' },
  );
  expect(await run(['update', 'ord_1', './update.json'])).toBe(1);
  expect(await run(['update', 'ord_1', './update.json', '--json'])).toBe(1);
  expect(await run(['update', 'ord_1', './update.json', '--dry-run'])).toBe(0);

  await using sending = startOrders(['send', 'updates.csv', '--rate', '30', '--result', 'r.csv'], {
    cwd: folder.path,
    env,
  });
  const before = service.ledger.length;
  await until('it sends', () => service.ledger.length > before + 5);
  if (process.platform === 'linux')
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        texts.push(readFileSync(join('/proc', id, 'cmdline'), 'utf8'));
      } catch {
        // A process that ended meanwhile.
      }
  expect(keep(await sending.ended)).toBe(1);
  expect(await run(['send', './updates.csv', '--review'])).toBe(1);
  expect(await run(['send', './updates.csv', '--json'])).toBe(1);
  service.faults.always({ type: 'status', status: 401, ...echoing });
  for (const words of [
    ['check'],
    ['check', '--json'],
    ['send', './updates.csv', '--retry', 'all', '--yes'],
    ['send', './updates.csv'],
  ])
    await run(words);
  const invalid = JSON.stringify({ cart: { items: [{ sku: 'mug', quantity: key }] } });
  await using apart = await createFolder({ 'invalid.json': invalid });
  expect(keep(await runHere(['validate', './invalid.json'], { folder: apart, env }))).toBe(1);
  await run(['update', key, './update.json']);

  for (const name of await readdir(folder.path))
    texts.push(await readFile(join(folder.path, name), 'latin1'));
  expect(texts.some((text) => text.includes('ord_1'))).toBe(true);
  const found = texts.flatMap((text) =>
    forms.filter((form) => text.includes(form)).map((form) => `${form} in ${text}`),
  );
  expect(found).toEqual([]);
});
