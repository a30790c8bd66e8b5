import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { copyFolder } from './copy-folder.ts';

const turbo = join(import.meta.dirname, '../.turbo');

interface Database {
  dumpDataDir(compression: 'none'): Promise<Blob>;
  close(): Promise<void>;
}

/** Makes a PGlite: it belongs to the packages that use it. */
type Create<Made> = (options: { readonly dataDir?: string; readonly loadDataDir?: Blob }) => Promise<Made>;

/** Where something made by the PGlite that a module uses is kept between runs. */
function keptFor(from: string): string {
  const installed = createRequire(from).resolve('@electric-sql/pglite');
  const name = createHash('sha256').update(installed).digest('hex').slice(0, 16);
  return join(turbo, `pglite-${name}`);
}

/**
 * Makes the empty database that the others here are copies of, unless an earlier run did. It holds a process up for
 * seconds, in which no other test of it goes on. Returns its file.
 *
 * @param from - the module that asks: where it finds PGlite names its version
 */
export async function keepPglite(create: Create<Database>, from: string): Promise<string> {
  const file = `${keptFor(from)}.tar`;
  if (existsSync(file)) return file;
  const fresh = await create({});
  const dump = await fresh.dumpDataDir('none');
  const draft = `${file}-${randomUUID()}`;
  await mkdir(turbo, { recursive: true });
  await writeFile(draft, Buffer.from(await dump.arrayBuffer()));
  // Other test files run at the same time.
  await rename(draft, file);
  await fresh.close();
  return file;
}

/** Makes a PGlite in memory that holds nothing yet: copying one takes a tenth of making it. */
export async function makePglite<Made extends Database>(create: Create<Made>, from: string): Promise<Made> {
  return create({ loadDataDir: new Blob([await readFile(await keepPglite(create, from))]) });
}

/** Makes the folder of a PGlite that holds nothing yet, from one that is kept between runs. */
export async function makePgliteFolder(
  folder: string,
  create: Create<Database>,
  from: string,
): Promise<void> {
  const kept = keptFor(from);
  if (!existsSync(kept)) {
    const dataDir = `${kept}-${randomUUID()}`;
    const loadDataDir = new Blob([await readFile(await keepPglite(create, from))]);
    await mkdir(dataDir, { recursive: true });
    await (await create({ dataDir, loadDataDir })).close();
    // Another process may have been first.
    await rename(dataDir, kept).catch(() => rm(dataDir, { recursive: true }));
  }
  await copyFolder(kept, folder);
}
