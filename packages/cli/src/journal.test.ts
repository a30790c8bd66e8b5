import { execFile } from 'node:child_process';
import {
  copyFile,
  cp,
  lstat,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
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

test('a row has how often it was sent over all runs, and the id of the last attempt alone', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  await journal.markReady(rowOf(1));
  journal.markSending(1);
  // It is put back after a 429.
  journal.unmark(1);
  journal.markSending(1);
  journal.settle({ row: 1, token: 'ord_1', state: 'rejected', status: 400, requestId: 'req_1' });
  journal.flush();
  expect([...journal.list()]).toMatchObject([{ attempts: 2, requestId: 'req_1' }]);
  journal.decide(1, 'retry');
  await journal.markReady(rowOf(1));
  journal.markSending(1);
  for (const end of ['', '-wal']) await copyFile(`${path}${end}`, folder.file(`killed${end}`));
  await journal.close();
  const killed = await openJournal(folder.file('killed'));
  expect([...(killed?.list() ?? [])]).toMatchObject([{ state: 'unknown', attempts: 3, requestId: null }]);
  await killed?.close();
});

test('a journal that exists has all of its key, and a second is not begun in its place', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  // Without the log, too.
  await copyFile(path, folder.file('copy'));
  const db = new DatabaseSync(folder.file('copy'));
  expect(db.prepare('select count(*) as count from key').get()).toEqual({ count: 5 });
  db.close();
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  await journal.close();
  await expect(createJournal(path, key)).rejects.toThrow('Another process has begun to send this file');
  expect((await readdir(folder.path)).toSorted()).toEqual(['copy', 'j', 'j.lock']);
});

test('an empty journal, and one that lacks its -wal, are errors, and stay as they are', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  const journal = await createJournal(path, key);
  await journal.markReady(rowOf(1));
  await copyFile(path, folder.file('main'));
  await copyFile(`${path}-wal`, folder.file('log'));
  // So many that they do not stay in the log.
  await Promise.all(Array.from({ length: 5_000 }, (_, row) => journal.markReady(rowOf(row))));
  await copyFile(path, folder.file('grown'));
  await journal.close();
  // What was closed needs no -wal.
  await copyFile(path, folder.file('closed'));
  const closed = await openJournal(folder.file('closed'));
  expect(closed?.count()).toEqual({ queued: 5_000 });
  await closed?.close();

  expect((await stat(folder.file('grown'))).size).toBeGreaterThan(100_000);
  for (const name of ['main', 'grown', 'main'])
    await expect(openJournal(folder.file(name))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(`${name}-wal is missing`),
    });
  await copyFile(folder.file('log'), folder.file('main-wal'));
  const whole = await openJournal(folder.file('main'));
  expect(whole?.count()).toEqual({ queued: 1 });
  await whole?.close();

  // The journal is gone, and its log is not.
  await copyFile(folder.file('log'), folder.file('gone-wal'));
  await expect(openJournal(folder.file('gone'))).rejects.toThrow('gone is missing');

  await writeFile(folder.file('empty'), '');
  await expect(openJournal(folder.file('empty'))).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('empty is empty'),
  });
});

test('a journal as it was made before, of which only the log has anything, goes on', async () => {
  await using folder = await createFolder();
  const path = folder.file('j');
  await (await createJournal(path, key)).close();
  const made = new DatabaseSync(path);
  const schema = made.prepare('select sql from sqlite_schema where sql is not null').all();
  made.close();
  const before = new DatabaseSync(folder.file('before'));
  before.exec('pragma journal_mode = wal; begin; pragma application_id = 0x4f52444a');
  for (const { sql } of schema) before.exec(String(sql));
  const insert = before.prepare('insert into key values (?, ?)');
  for (const [name, value] of Object.entries(key)) insert.run(name, JSON.stringify(value));
  before.exec(`insert into rows (row, token, state, at) values (1, 'ord_1', 'sending', 0); commit`);
  for (const end of ['', '-wal']) await copyFile(folder.file(`before${end}`), folder.file(`killed${end}`));
  before.close();
  for (const name of ['killed', 'before']) {
    const journal = await openJournal(folder.file(name));
    expect([name, journal?.count()]).toEqual([name, { unknown: 1 }]);
    await journal?.close();
  }
});

test.skipIf(process.platform === 'win32')(
  'a journal may be a link, and one whose file is missing is an error',
  async () => {
    await using folder = await createFolder();
    const [file, link] = [folder.file('file'), folder.file('link')];
    await symlink(file, link);
    await expect(openJournal(link)).rejects.toThrow('is a link to a file that is missing. Nothing was sent');
    await expect(createJournal(link, key)).rejects.toThrow('is a link to a file that is missing');
    await (await createJournal(file, key)).close();
    const journal = await openJournal(link);
    expect(await readdir(dirname(file))).toEqual(expect.arrayContaining(['file', 'file.lock', 'link']));
    await journal?.close();
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  },
);

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

test('a commit and a checkpoint reach the disk itself where a plain flush does not, as on macOS', async () => {
  await using folder = await createFolder();
  // Settings of a connection are known to that connection alone.
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const journal = await createJournal(folder.file('j'), key);
  const opened = new Set(exec.mock.contexts as DatabaseSync[]);
  exec.mockRestore();
  const settings = [...opened]
    .filter(({ isOpen }) => isOpen)
    .map((db) =>
      ['synchronous', 'fullfsync', 'checkpoint_fullfsync'].map((name) => db.prepare(`pragma ${name}`).get()),
    );
  expect(settings).toEqual([[{ synchronous: 2 }, { fullfsync: 1 }, { checkpoint_fullfsync: 1 }]]);
  await journal.close();
});

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
