import { stat, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createFolder } from '../test/run-orders.ts';
import { createJournal, type JournalKey, openJournal } from './journal.ts';

const key: JournalKey = { sha256: 'a', bytes: 1, rows: 9, decimals: 0, baseUrl: 'https://api.example.com' };
test('a mark is stored before it resolves, and many share a commit', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  const digest = Buffer.alloc(8);
  const marks = Array.from({ length: 500 }, (_, row) =>
    journal.markSending({ row, token: `ord_${row}`, orderId: null, digest }),
  );
  expect(journal.count()).toEqual({});
  await marks[0];
  expect(journal.count()).toEqual({ sending: 500 });
  await Promise.all(marks);
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

test('a journal whose folder cannot be written to is an error that names another place', async () => {
  await using folder = await createFolder();
  await writeFile(folder.file('file'), '');
  await expect(createJournal(folder.file('file/j'), key)).rejects.toThrow('--journal names another place');
});
