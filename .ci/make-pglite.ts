import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Dumpable {
  dumpDataDir(compression: 'none'): Promise<Blob>;
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
  const installed = createRequire(from).resolve('@electric-sql/pglite');
  const name = createHash('sha256').update(installed).digest('hex').slice(0, 16);
  const folder = join(import.meta.dirname, '../.turbo');
  const file = join(folder, `pglite-${name}.tar`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept) return create({ loadDataDir: new Blob([kept]) });
  const fresh = await create({});
  const dump = await fresh.dumpDataDir('none');
  const draft = join(folder, `${randomUUID()}.tar`);
  await mkdir(folder, { recursive: true });
  await writeFile(draft, Buffer.from(await dump.arrayBuffer()));
  // Other test files run at the same time.
  await rename(draft, file);
  return fresh;
}
