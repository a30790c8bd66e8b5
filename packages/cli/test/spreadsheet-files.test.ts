import { writeFileSync } from 'node:fs';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { fileCases } from '../../../.ci/spreadsheet-files.ts';
import { runIn } from './run-here.ts';
import { createFolder } from './run-orders.ts';

interface Found {
  readonly row: number;
  readonly line?: number;
  readonly column?: number;
  readonly path: string;
  readonly code: string;
}

const marked = (mark: string) => (found: Found) =>
  `${found.row}${mark} ${found.line}:${found.column ?? '-'} ${found.path || '-'} ${found.code}`;

test.each(fileCases)('$what', async ({ name = 'a.csv', content, options = {}, rows }) => {
  await using folder = await createFolder({});
  writeFileSync(folder.file(name), content);
  const { decimals, rows: perOrder } = options;
  const flags = [
    ...(decimals === undefined ? [] : ['--decimals', String(decimals)]),
    ...(perOrder === undefined ? [] : [perOrder === 'group' ? '--group' : '--each-row']),
  ];
  const { code, stdout } = await runIn(folder, ['validate', name, ...flags, '--json', '--limit', '1000']);
  const { issues, warnings, files } = JSON.parse(stdout);
  expect(issues.map(marked('!'))).toEqual(rows.filter((row) => /^\d+!/.test(row)));
  expect(warnings.map(marked('?'))).toEqual(rows.filter((row) => /^\d+\?/.test(row)));
  const sent = rows.filter((row) => !/^\d+[!?]/.test(row));
  expect(files[0].rows - files[0].invalidRows).toBe(sent.length);
  expect(code).toBe(issues.length === 0 ? 0 : 1);
  if (!inFull || issues.length > 0) return;
  const wanted = sent.map((row) => {
    const [, token = '', json = ''] = /^\S+ (.*?) (\{.*)$/s.exec(row) ?? [];
    const { items, cart, ...rest } = JSON.parse(json);
    return { token, update: { ...rest, cart: { ...cart, items } } };
  });
  const orders = [...new Set(wanted.map(({ token }) => token))];
  await using service = await startMockOrderService({ orders });
  const words = ['send', name, ...flags, '--concurrency', '1', '--base-url', service.url];
  const { code: ended, stderr } = await runIn(folder, words, { ORDERS_API_KEY: service.key });
  expect([ended, stderr]).toEqual([0, expect.any(String)]);
  expect(service.ledger.map(({ token, body }) => ({ token, update: body }))).toEqual(wanted);
});
