import { stat, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createFolder } from '../test/run-orders.ts';
import { createJournal, type JournalKey, openJournal } from './journal.ts';

const key: JournalKey = { sha256: 'a', bytes: 1, rows: 9, decimals: 0, baseUrl: 'https://api.example.com' };
const digest = Buffer.alloc(8);
const marked = (row: number, orderId: string | null = null) => ({
  row,
  token: `ord_${row}`,
  orderId,
  digest,
});

test('a row that was being sent when the process ended is unknown', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  await Promise.all([journal.markSending(marked(1, 'A-1')), journal.markSending(marked(2))]);
  journal.settle({ row: 2, token: 'ord_2', state: 'applied', status: 200, attempts: 1 });
  journal.flush();
  journal.close();
  const next = await openJournal(path);
  expect(next?.key).toEqual(key);
  expect(next?.states(1, 9)).toEqual(
    new Map(Object.entries({ 1: 'unknown', 2: 'applied' }).map(([row, state]) => [Number(row), state])),
  );
  expect([...(next?.list(['unknown']) ?? [])]).toMatchObject([
    {
      row: 1,
      token: 'ord_1',
      orderId: 'A-1',
      code: 'interrupted',
      sentAt: expect.stringMatching(/^20\d\d-\S+Z$/),
    },
  ]);
  expect(next?.tokensIn(['unknown'])).toEqual(new Set(['ord_1']));
  next?.close();
});

test('a mark is stored before it resolves, and many share a commit', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  const marks = Array.from({ length: 500 }, (_, row) => journal.markSending(marked(row)));
  expect(journal.count()).toEqual({});
  await marks[0];
  expect(journal.count()).toEqual({ sending: 500 });
  await Promise.all(marks);
  journal.close();
});

test('only its owner can read a journal, and only one process uses it', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  if (process.platform !== 'win32')
    for (const name of ['j', 'j-wal']) expect((await stat(folder.file(name))).mode & 0o777).toBe(0o600);
  await expect(openJournal(path)).rejects.toThrow('Another process is sending this file');
  journal.close();
});

test('a journal that a killed process left empty is begun again', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  await writeFile(path, '', { mode: 0o644 });
  expect(await openJournal(path)).toBeUndefined();
  const journal = await createJournal(path, key);
  expect(journal.count()).toEqual({});
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  journal.close();
  await expect(createJournal(path, key)).rejects.toThrow('Another process has begun to send this file');
});

test('a file that is no journal is left as it is', async () => {
  await using folder = await createFolder({ text: 'token,order_id\n' });
  await expect(openJournal(folder.file('text'))).rejects.toMatchObject({ exitCode: 3 });
  const other = new DatabaseSync(folder.file('other'));
  other.exec('create table rows (row)');
  other.close();
  await expect(openJournal(folder.file('other'))).rejects.toThrow('is no journal');
  await expect(createJournal(folder.file('text'), key)).rejects.toMatchObject({ exitCode: 3 });
  expect(await openJournal(folder.file('none'))).toBeUndefined();
});

test('a person decides about rows that are unknown or rejected, and about no other', async () => {
  await using folder = await createFolder();
  const journal = await createJournal(folder.file('j'), key);
  for (const [row, token, state] of [
    [1, 'a', 'rejected'],
    [2, 'a', 'applied'],
    [3, 'b', 'rejected'],
    [4, 'c', 'unknown'],
    [5, 'd', 'unknown'],
  ] as const)
    journal.settle({ row, token, state });
  journal.flush();
  expect(journal.decide(1, 'retry')).toBe(
    'Row 1 cannot be sent again: row 2, a later one of its order, was sent.',
  );
  expect(journal.decide(2, 'discard')).toBe('Row 2 waits for no decision: it is applied.');
  expect(journal.decide(9, 'retry')).toBe('Row 9 waits for no decision: it is not sent yet.');
  expect([journal.decide(3, 'retry'), journal.decide(4, 'resolve'), journal.decide(5, 'discard')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(Object.fromEntries(journal.states(1, 9))).toEqual({
    1: 'rejected',
    2: 'applied',
    3: 'queued',
    4: 'applied',
    5: 'discarded',
  });
  journal.close();
});

test('a row shows what a person decided, and an applied one no failure', async () => {
  await using folder = await createFolder();
  const journal = await createJournal(folder.file('j'), key);
  const failed = { state: 'unknown', status: 503, code: 'http_error', message: 'It failed.' } as const;
  for (const row of [1, 2, 3]) journal.settle({ row, token: `ord_${row}`, ...failed });
  journal.settle({ row: 4, token: 'ord_4', ...failed, state: 'rejected' });
  journal.flush();
  journal.decide(1, 'resolve');
  journal.decide(2, 'retry');
  journal.decide(3, 'discard');
  journal.requeue(4);
  expect([...journal.list()]).toMatchObject([
    { row: 1, state: 'applied', decided: 'resolve', status: null, code: null, message: null },
    { row: 2, state: 'queued', decided: 'retry', status: 503 },
    { row: 3, state: 'discarded', decided: 'discard', status: 503, code: 'http_error' },
    { row: 4, state: 'queued', decided: null },
  ]);
  journal.close();
});

test('flags and a file in which invalid rows are fixed are noted for the next run', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  journal.settle({ row: 1, token: 'ord_1', state: 'invalid' });
  await journal.markSending(marked(2));
  journal.settle({ row: 2, token: 'ord_2', state: 'applied' });
  journal.flush();
  journal.noteFlags({ rate: 50, result: 'r.csv' });
  journal.replaceFile({ sha256: 'b', bytes: 2 });
  journal.close();
  const next = await openJournal(path);
  expect(next?.key).toEqual({ ...key, sha256: 'b', bytes: 2, flags: { rate: 50, result: 'r.csv' } });
  expect(next?.count()).toEqual({ applied: 1 });
  next?.close();
});

test('a journal whose folder cannot be written to is an error that names another place', async () => {
  await using folder = await createFolder();
  await writeFile(folder.file('file'), '');
  await expect(createJournal(folder.file('file/j'), key)).rejects.toThrow('--journal names another place');
});
