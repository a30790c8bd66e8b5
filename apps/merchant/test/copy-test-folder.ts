import { createHash, randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { openStorage } from '../src/storage/open-storage.ts';
import { lockFileName } from '../src/storage/prepare-folder.ts';

const root = resolve(import.meta.dirname, '..');

/** A folder of a desk, for one test. */
export interface TestFolder extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Gives a desk's folder with an empty database, as a copy: to create a database takes seconds, to copy one a part of
 * a second. The one that is copied is made once for each version of the migrations and of PGlite, and kept between runs.
 */
export async function copyTestFolder(): Promise<TestFolder> {
  const template = await findTemplate();
  const folder = await mkdtemp(join(tmpdir(), 'desk-'));
  // Of a thousand small files, the synchronous copy takes a third of the time.
  cpSync(template, folder, { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => removeFolder(folder) };
}

async function findTemplate(): Promise<string> {
  const cache = join(root, 'node_modules', '.cache', 'desk-storage');
  const template = join(cache, await nameTemplate());
  if (await isThere(template)) return template;

  const own = join(cache, `making-${randomUUID()}`);
  await mkdir(own, { recursive: true });
  await (await openStorage({ folder: own })).close();
  await rm(join(own, lockFileName));
  try {
    await rename(own, template);
  } catch (error) {
    // Another process was first: its template is as good.
    await removeFolder(own);
    if (!(await isThere(template))) throw error;
  }
  return template;
}

/** Names a template by all that it depends on. */
async function nameTemplate(): Promise<string> {
  const hash = createHash('sha256');
  const migrations = join(root, 'src', 'storage', 'migrations');
  for (const name of (await readdir(migrations)).sort()) hash.update(await readFile(join(migrations, name)));
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(join(dirname(pglite), '..', 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
