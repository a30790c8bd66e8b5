import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { createFolder } from '../test/run-orders.ts';
import { createJournal, type JournalKey, openJournal } from './journal.ts';

const key: JournalKey = { sha256: 'a', bytes: 1, rows: 9, decimals: 0, baseUrl: 'https://api.example.com' };
test('a row is noted as ready before that resolves, and many share a commit', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  const notes = Array.from({ length: 500 }, (_, row) => journal.markReady(rowOf(row)));
  expect(journal.count()).toEqual({});
  await notes[0];
  expect(journal.count()).toEqual({ ready: 500 });
  await Promise.all(notes);
  await journal.close();
});

const rowOf = (row: number) => ({ row, token: `ord_${row}`, orderId: null });

test('after a crash, what waited is sent again, and what may have left is unknown', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  await Promise.all([1, 2, 3].map((row) => journal.markReady(rowOf(row))));
  journal.markSending(2);
  journal.markSending(3);
  // A 429 says that it was not applied.
  journal.unmark(3);
  // What a killed process leaves: a copy of the files, while they are open.
  for (const end of ['', '-wal']) {
    await copyFile(`${path}${end}`, folder.file(`killed${end}`));
    await copyFile(`${path}${end}`, folder.file(`other${end}`));
  }
  await journal.close();
  const killed = await openJournal(folder.file('killed'));
  expect(killed?.count()).toEqual({ queued: 2, unknown: 1 });
  expect([...(killed?.list(['unknown']) ?? [])]).toMatchObject([{ row: 2, code: 'interrupted' }]);
  await killed?.close();
  // The machine stopped, too: what was not flushed is lost, so that what was ready may have left.
  const db = new DatabaseSync(folder.file('other'));
  db.exec(`update key set value = '"before"' where name = 'boot'`);
  db.close();
  const other = await openJournal(folder.file('other'));
  expect(other?.count()).toEqual({ unknown: 3 });
  await other?.close();
});

test('a journal that a killed process left empty is begun again', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  await writeFile(path, '', { mode: 0o644 });
  expect(await openJournal(path)).toBeUndefined();
  const journal = await createJournal(path, key);
  expect(journal.count()).toEqual({});
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  await journal.close();
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

/** Whether another process may open a journal. */
async function canOpenElsewhere(path: string): Promise<boolean> {
  const script = `import { openJournal } from ${JSON.stringify(join(import.meta.dirname, 'journal.ts'))};
    openJournal(process.argv[1]).then(() => console.log('opened'), (error) => console.log(error.message));`;
  const flags = [...quickly.flags, '--conditions=@orders/source', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path]);
  if (stdout.trim() === 'opened') return true;
  expect(stdout).toMatch(/^Another process is sending this file: it has \S+ open\./);
  return false;
}

test('a journal stays locked while its process reads and copies it, and is free once it is closed', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  await readFile(path);
  await cp(folder.path, `${folder.path}-copy`, { recursive: true });
  await rm(`${folder.path}-copy`, { recursive: true });
  expect(await canOpenElsewhere(path)).toBe(false);
  await journal.close();
  expect(await canOpenElsewhere(path)).toBe(true);
});

test.skipIf(process.platform === 'win32')(
  'a journal that was removed or replaced marks no row, and its end is no success',
  async () => {
    await using folder = await createFolder();
    const path = folder.file('j');
    const journal = await createJournal(path, key);
    await journal.markReady(rowOf(1));
    await rename(path, folder.file('moved'));
    for (const _ of ['gone', 'replaced']) {
      expect(() => journal.markSending(1)).toThrow(`${path} was removed or replaced`);
      await expect(journal.markReady(rowOf(2))).rejects.toThrow('was removed or replaced');
      expect(() => journal.flush()).toThrow('was removed or replaced');
      await copyFile(folder.file('moved'), path);
    }
    await rm(path);
    await rename(folder.file('moved'), path);
    journal.markSending(1);
    await journal.close();
  },
);

test('a journal is removed before another process may have it', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  // The lock is released after this.
  const removed = journal.remove();
  expect(existsSync(path)).toBe(false);
  await removed;
});

test('a journal marks no row once the process that holds its lock has ended', async ({ skip }) => {
  if (process.platform === 'win32') return skip('pgrep is missing');
  await using folder = await createFolder();
  const journal = await createJournal(folder.file('j'), key);
  await promisify(execFile)('pkill', ['-KILL', '-P', String(process.pid), '-f', 'orders-lock']);
  const mark = () => journal.markReady(rowOf(1));
  await expect.poll(() => mark().catch(String)).toMatch(/held its lock/);
  await expect(mark()).rejects.toThrow(
    /^The journal could not be written: the process that held its lock, \d+, ended \(SIGKILL\)\.$/,
  );
  expect(() => journal.markSending(1)).toThrow('the process that held its lock');
  journal.settle({ row: 2, token: 'ord_1', state: 'applied' });
  expect(() => journal.flush()).toThrow('the process that held its lock');
  expect(journal.unwritten).toMatchObject([{ row: 2, state: 'applied' }]);
  await journal.close();
});
