import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { copyFolder } from './copy-folder.ts';

const turbo = join(import.meta.dirname, '../.turbo');

interface Dumpable {
  dumpDataDir(compression: 'none'): Promise<Blob>;
}

/** Where something made by the PGlite that a module uses is kept between runs. */
function keptFor(from: string): string {
  const installed = createRequire(from).resolve('@electric-sql/pglite');
  const name = createHash('sha256').update(installed).digest('hex').slice(0, 16);
  return join(turbo, `pglite-${name}`);
}

/**
 * Makes a PGlite in memory from an empty one of the same version: copying it takes a tenth of making it. The copy is kept
 * between runs.
 *
 * @param create - makes one, from what it is given to load: PGlite belongs to the packages that use it
 * @param from - the module that asks: where it finds PGlite names its version
 */
export async function makePglite<Database extends Dumpable>(
  create: (options: { readonly loadDataDir?: Blob }) => Promise<Database>,
  from: string,
): Promise<Database> {
  const file = `${keptFor(from)}.tar`;
  const kept = await readFile(file).catch(() => undefined);
  if (kept) return create({ loadDataDir: new Blob([kept]) });
  const fresh = await create({});
  const dump = await fresh.dumpDataDir('none');
  const draft = `${file}-${randomUUID()}`;
  await mkdir(turbo, { recursive: true });
  await writeFile(draft, Buffer.from(await dump.arrayBuffer()));
  // Other test files run at the same time.
  await rename(draft, file);
  return fresh;
}

/**
 * Makes the folder of a PGlite that holds nothing yet, from one of the same version that is kept between runs.
 *
 * @param create - makes one in a folder
 */
export async function makePgliteFolder(
  folder: string,
  create: (folder: string) => Promise<{ close(): Promise<void> }>,
  from: string,
): Promise<void> {
  const kept = keptFor(from);
  if (!existsSync(kept)) {
    const draft = `${kept}-${randomUUID()}`;
    await mkdir(draft, { recursive: true });
    await (await create(draft)).close();
    // Another process may have been first.
    await rename(draft, kept).catch(() => rm(draft, { recursive: true }));
  }
  await copyFolder(kept, folder);
}
