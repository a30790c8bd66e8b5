import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, onTestFinished, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { makeFolder as makeOutboxFolder } from '../test/make-folder.ts';
import { mountDisk } from '../test/mount-disk.ts';
import { until } from '../test/scene.ts';
import { createOutbox } from './outbox.ts';
import { folderRemedy, lockFolder, pgliteStore } from './pglite-store.ts';

const isWindows = process.platform === 'win32';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A process, in a group of its own, that tries to lock a folder. */
async function startLocking(folder: string) {
  const script = join(import.meta.dirname, '../test/lock-child.ts');
  const child = spawn(process.execPath, [...quickly.flags, '--conditions=@orders/source', script, folder], {
    env: { ...process.env, ...quickly.env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const [result] = await once(child.stdout, 'data');
  return {
    child,
    result: String(result).trim(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The processes that hold locks for this one. */
function holders(): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', 'orders-lock'], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean).map(Number);
}

test('takes a folder once, makes it where there is none, and leaves nothing there but its lock', async () => {
  const folder = join(await makeFolder(), 'deep', 'er');
  const lock = await lockFolder(folder);
  if (!isWindows) expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
  await expect(lockFolder(folder)).rejects.toMatchObject({
    name: 'OutboxError',
    code: 'folder_locked',
    message: expect.stringContaining('for several processes use PostgreSQL'),
  });
  await lock.release();
  await (await lockFolder(folder)).release();
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
});

test('finds the outbox of a PGlite of an application in its folder, locked while that has it', async () => {
  const folder = join(await makeFolder(), 'shop');
  await makeOutboxFolder(folder);
  const ids: string[] = [];
  for (const token of ['order-1', 'order-2']) {
    const lock = await lockFolder(folder);
    const db = await PGlite.create(join(folder, 'data'));
    await using outbox = await createOutbox({ store: await pgliteStore(db) });
    ids.push(await outbox.enqueue(token, { cart: {} }));
    await expect(pgliteStore(folder)).rejects.toMatchObject({ code: 'folder_locked' });
    await outbox.close();
    await db.close();
    await lock.release();

    await using operations = await createOutbox({ store: await pgliteStore(folder) });
    const queued = await operations.list({ states: ['queued'] });
    expect(queued.map(({ id }) => id)).toEqual(ids);
  }
});

test('keeps its lock while this process reads, opens and copies its file', async () => {
  const folder = join(await makeFolder(), 'outbox');
  const lock = await lockFolder(folder);
  const file = join(folder, 'lock.sqlite');
  await readFile(file);
  await (await open(file, 'r+')).close();
  await cp(folder, `${folder}-copy`, { recursive: true });
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  new DatabaseSync(file, { readOnly: true }).close();
  await chmod(file, 0o600);
  await utimes(file, 1, 1);
  await using other = await startLocking(folder);
  expect(other.result).toBe('locked');
  expect(lock.lostBecause).toBeUndefined();
  await lock.release();
});

test.for<[string, (folder: string) => Promise<unknown>]>([
  ['its lock is removed', (folder) => rm(join(folder, 'lock.sqlite'))],
  ['its lock is replaced', (folder) => rename(join(folder, '../other'), join(folder, 'lock.sqlite'))],
  ['it is deleted', (folder) => rm(folder, { recursive: true })],
  ['it is renamed', (folder) => rename(folder, `${folder}-old`)],
  [
    'another takes its name',
    async (folder) => {
      await rename(folder, `${folder}-old`);
      await cp(`${folder}-old`, folder, { recursive: true });
    },
  ],
])(
  'stores nothing more in a folder once %s, since another process may open it',
  async ([, act], { skip }) => {
    if (isWindows) return skip('Windows keeps files that are open');
    const folder = join(await makeFolder(), 'outbox');
    await writeFile(join(folder, '../other'), '');
    const lock = await lockFolder(folder);
    expect(lock.lostBecause).toBeUndefined();
    await act(folder);
    expect(lock.lostBecause).toMatch(/lock\.sqlite was removed or replaced/);
    await lock.release();
  },
);

test('keeps a folder while its owner is stopped or signalled, and frees it after kill -9', async ({
  skip,
}) => {
  if (isWindows) return skip('signals are not sent there');
  const folder = await makeFolder();
  await using owner = await startLocking(folder);
  expect(owner.result).toBe('held');
  const group = -Number(owner.child.pid);
  // A terminal and a service manager send these to every process of a group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(group, signal);
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_locked' });
  owner.child.kill('SIGSTOP');
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_locked' });
  owner.child.kill('SIGKILL');
  const lock = await until('it is free', () => lockFolder(folder));
  await lock.release();
});

test('does not keep its process from ending', async () => {
  const folder = await makeFolder();
  await using owner = await startLocking(folder);
  owner.child.stdin.end();
  expect(await once(owner.child, 'exit')).toEqual([0, null]);
});

test('gives the process that holds a lock nothing of its environment', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('the environment of a process is read from /proc');
  const options = process.env['NODE_OPTIONS'];
  process.env['ORDERS_API_KEY'] = 'key_of_the_owner';
  process.env['NODE_OPTIONS'] = '--require=./there-is-no-such-file.cjs';
  onTestFinished(() => {
    delete process.env['ORDERS_API_KEY'];
    if (options === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = options;
  });
  const lock = await lockFolder(await makeFolder());
  const [pid] = holders();
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  expect(environment.split('\0').map((each) => each.split('=')[0])).toEqual(expect.arrayContaining(['PATH']));
  expect(environment).not.toMatch(/ORDERS_API_KEY|NODE_OPTIONS/);
  await lock.release();
});

test('stores nothing more once the process that holds its lock has ended, and says so', async ({ skip }) => {
  if (isWindows) return skip('pgrep is missing');
  const folder = await makeFolder();
  await makeOutboxFolder(folder);
  const store = await pgliteStore(folder);
  await store.query('create table kept (word text)');
  const lost = {
    name: 'OutboxError',
    code: 'folder_unusable',
    message: expect.stringMatching(
      /^\S+ may be open in another process by now: the process that held its lock, \d+, ended \(SIGKILL\)\. This process stores and sends nothing more: start it again\.$/,
    ),
  };
  const during = store.transaction(async (tx) => {
    await tx.query(`insert into kept values ('uncommitted')`);
    for (const pid of holders()) process.kill(pid, 'SIGKILL');
    for (;;) {
      await tx.query('select 1');
      await nextTurn();
    }
  });
  await expect(during).rejects.toMatchObject(lost);
  await expect(store.query('select 1')).rejects.toMatchObject(lost);
  await expect(store.executeSql('select 1')).rejects.toMatchObject(lost);
  await expect(store.transaction(async () => {})).rejects.toMatchObject(lost);
  const next = await pgliteStore(folder);
  await store.close();
  expect((await next.query('select * from kept')).rows).toEqual([]);
  await next.close();
});

const hostile: Readonly<
  Record<string, readonly [message: string, make: (folder: string) => Promise<void>, end?: string]>
> = {
  'is a link to a folder': [
    'it is a link. Pass the folder that it leads to: ',
    async (folder) => {
      await mkdir(`${folder}-other`, { mode: 0o700 });
      await symlink(`${folder}-other`, folder);
    },
  ],
  'is a link to nothing': ['it is a link', (folder) => symlink(`${folder}-none`, folder)],
  'is a link, written with a slash': [
    'it is a link',
    async (folder) => {
      await mkdir(`${folder}-other`, { mode: 0o700 });
      await symlink(`${folder}-other`, folder);
    },
    '/',
  ],
  'is a file': ['EEXIST', (folder) => writeFile(folder, '')],
  'belongs to another user': [
    'it belongs to user 65534, and this process is of user 0. Choose a folder that this process makes',
    async (folder) => {
      await mkdir(folder);
      await chown(folder, 65_534, 65_534);
    },
  ],
  'holds a link as data': ['data in it is a link', (folder) => plant(folder, 'data')],
  'holds a link as data.making': ['data.making in it is a link', (folder) => plant(folder, 'data.making')],
  'holds a link as lock.sqlite': ['lock.sqlite in it is a link', (folder) => plant(folder, 'lock.sqlite')],
  'holds data of another user': [
    'data in it belongs to user 65534',
    async (folder) => {
      await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
      await chown(join(folder, 'data'), 65_534, 65_534);
    },
  ],
  'could be written to by others': [
    'it was open to changes by others. If all that it holds is yours, run: chmod 700 ',
    async (folder) => {
      await mkdir(join(folder, 'data'), { recursive: true });
      await chmod(folder, 0o777);
    },
  ],
  'could be written to by a group': [
    'it was open to changes by others',
    async (folder) => {
      await mkdir(join(folder, 'data'), { recursive: true });
      await chmod(folder, 0o770);
    },
  ],
};

/** Puts a link to a file of the user into a folder. */
async function plant(folder: string, name: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await writeFile(`${folder}-victim`, 'precious');
  await symlink(`${folder}-victim`, join(folder, name));
}

test.for(Object.keys(hostile))('refuses a folder that %s, and writes nothing', async (name, { skip }) => {
  if (isWindows) return skip('Windows has neither these links nor these owners');
  if (/another user/.test(name) && process.geteuid?.() !== 0) return skip('only root gives files away');
  const folder = join(await makeFolder(), 'outbox');
  const [message, make, end = ''] = hostile[name] ?? [];
  await make?.(folder);
  const path = folder + end;
  const before = await listed(folder);
  for (const attempt of [1, 2])
    await expect(pgliteStore(path), `attempt ${attempt}`).rejects.toMatchObject({
      name: 'OutboxError',
      code: 'folder_unusable',
      message: expect.stringContaining(`${path} cannot hold a database: ${message}`),
    });
  expect(await listed(folder)).toEqual(before);
});

/** All that is beside and in a folder: names, kinds, owners, modes, and what files hold. */
async function listed(folder: string): Promise<readonly unknown[]> {
  const entries = await readdir(join(folder, '..'), { recursive: true });
  return Promise.all(
    entries.toSorted().map(async (entry) => {
      const path = join(folder, '..', entry);
      const { mode, uid, size } = await lstat(path);
      return [
        entry,
        mode,
        uid,
        (mode & constants.S_IFMT) === constants.S_IFREG ? await readFile(path, 'utf8') : size,
      ];
    }),
  );
}

test.for([0o755, 0o777, 0o500])('makes an empty folder of mode %o private', async (mode, { skip }) => {
  if (isWindows) return skip('Windows has no modes');
  const folder = join(await makeFolder(), 'outbox');
  await mkdir(folder);
  await chmod(folder, mode);
  const lock = await lockFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await lock.release();
});

test('refuses what cannot be a folder of an outbox, and says why', async () => {
  await expect(pgliteStore('')).rejects.toThrow(TypeError);
  const folder = await makeFolder();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const error = await pgliteStore(join(file, 'inside')).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'OutboxError', code: 'folder_unusable' });
  expect(String(error)).toMatch(/cannot hold a database: .*ENOTDIR/);
  const other = 'not a database, but long enough to be taken for one\n'.repeat(99);
  await writeFile(join(folder, 'lock.sqlite'), other);
  await expect(lockFolder(folder)).rejects.toMatchObject({
    code: 'folder_unusable',
    message: expect.stringContaining('file is not a database'),
  });
});

test.each([
  ['ENOSPC', /disk is full: free some space/],
  ['53100', /disk is full: free some space/],
  ['EDQUOT', /quota .* is used up/],
  ['EROFS', /^Choose a folder that can be written to\.$/],
  ['ENOTDIR', /part of this path is a file/],
  ['EEXIST', /path is a file/],
  ['EACCES', /user has no permission there/],
  ['EPERM', /user has no permission there/],
  ['EMFILE', /too many open files: raise its limit/],
  ['ENFILE', /too many open files/],
  ['ENAMETOOLONG', /path is too long: choose a shorter one/],
])('says what to do about a folder where %s is reported', (code, remedy) => {
  expect(folderRemedy(Object.assign(new Error('cannot write'), { code }))).toMatch(remedy);
});

test.for([
  // PGlite needs more than a disk of 1 MB has.
  ['a folder is made', 1],
  ['a folder with a database is opened', 96],
] as const)('calls a full disk full where %s', async ([, megabytes], { skip }) => {
  await using disk = await mountDisk(megabytes);
  if (!disk) return skip('no disk can be mounted here');
  const folder = join(disk.folder, 'outbox');
  if (megabytes > 1) {
    await makeOutboxFolder(folder);
    disk.fill();
  }
  await expect(pgliteStore(folder)).rejects.toMatchObject({
    code: 'folder_unusable',
    message: expect.stringMatching(
      /^[^\n]+ The disk is full: free some space, or choose a folder on another disk\.$/,
    ),
  });
});

test('names the kind of a path that cannot be a folder', async ({ skip }) => {
  if (isWindows) return skip('Windows reports these paths in another way');
  const folder = await makeFolder();
  await writeFile(join(folder, 'file'), '');
  const cases = [
    [join(folder, 'file'), 'This path is a file'],
    [join(folder, 'file', 'inside'), 'A part of this path is a file'],
    [join(folder, 'n'.repeat(300)), 'The path is too long'],
  ] as const;
  for (const [path, remedy] of cases) await expect(pgliteStore(path)).rejects.toThrow(remedy);
});

test('refuses a database of which a part is missing, and does not make an empty one in its place', async () => {
  const folder = await makeFolder();
  const data = join(folder, 'data');
  await mkdir(join(data, 'base'), { recursive: true });
  await writeFile(join(data, 'base', 'rows'), 'accepted');
  await expect(pgliteStore(folder)).rejects.toMatchObject({
    code: 'folder_unusable',
    message: expect.stringContaining('PG_VERSION is missing'),
  });
  expect(await readdir(data, { recursive: true })).toEqual(['base', join('base', 'rows')]);
});

test('refuses a folder that its file system does not make, although the one above is there', async ({
  skip,
}) => {
  if (process.platform !== 'linux') return skip('no other system has such a folder');
  for (const folder of ['/proc/orders', '/proc/orders/outbox', '/proc/self/orders'])
    await expect(lockFolder(folder), folder).rejects.toMatchObject({ code: 'folder_unusable' });
});

test.for([
  { folder: './orders' },
  { dataDir: './orders' },
  { path: './orders' },
  {},
  ['./orders'],
  42,
  null,
  new URL('file:///tmp/orders'),
  Promise.resolve('./orders'),
  () => './orders',
])('%o is no folder and no PGlite: refused at once, and nothing is made', async (given) => {
  await expect(pgliteStore(given as never)).rejects.toThrow(
    new TypeError(
      'pgliteStore: write the path of the folder alone, as text, or pass a PGlite that is open; options are not taken.',
    ),
  );
});
