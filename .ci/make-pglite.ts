import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const turbo = join(import.meta.dirname, '../.turbo');

interface Database {
  dumpDataDir(compression: 'none'): Promise<Blob>;
  close(): Promise<void>;
}

/** The class `PGlite`: it belongs to the packages that use it. */
interface Maker<Made> {
  readonly prototype: Made;
  readonly defaultStartParams: readonly string[];
  create(options: {
    readonly dataDir?: string;
    readonly loadDataDir?: Blob;
    readonly startParams: string[];
  }): Promise<Database>;
}

/** It fills its cache with zeros at each start: the default of 128 MB takes a third of the time of one that is copied. */
const paramsOf = ({ defaultStartParams }: Maker<unknown>): string[] => [
  ...defaultStartParams,
  ...['-c', 'shared_buffers=16MB'],
];

/** Where something made by the PGlite that a module uses is kept between runs. */
function keptFor(from: string): string {
  const installed = createRequire(from).resolve('@electric-sql/pglite');
  const name = createHash('sha256').update(installed).digest('hex').slice(0, 16);
  return join(turbo, `pglite-${name}`);
}

/**
 * Makes the empty PGlite that tests copy, as a folder and as a file in `.tar`, unless an earlier run did. It holds a
 * process up for seconds, and with it every test of that process. Returns the folder.
 *
 * @param from - the module that asks: where it finds PGlite names its version
 */
export async function keepPglite(maker: Maker<Database>, from: string): Promise<string> {
  const kept = keptFor(from);
  const startParams = paramsOf(maker);
  await mkdir(turbo, { recursive: true });
  // Other processes may make the same at the same time, and none must see half of it.
  if (!existsSync(`${kept}.tar`)) {
    const fresh = await maker.create({ startParams });
    const dump = await fresh.dumpDataDir('none');
    await fresh.close();
    const draft = `${kept}-${randomUUID()}.tar`;
    await writeFile(draft, Buffer.from(await dump.arrayBuffer()));
    await rename(draft, `${kept}.tar`);
  }
  if (!existsSync(kept)) {
    const dataDir = `${kept}-${randomUUID()}`;
    await mkdir(dataDir);
    await (await maker.create({ dataDir, loadDataDir: await load(kept), startParams })).close();
    await rename(dataDir, kept).catch(() => rm(dataDir, { recursive: true }));
  }
  return kept;
}

const load = async (kept: string): Promise<Blob> => new Blob([await readFile(`${kept}.tar`)]);

/** Makes a PGlite in memory that holds nothing yet: copying one takes a tenth of making it. */
export async function makePglite<Made extends Database>(maker: Maker<Made>, from: string): Promise<Made> {
  const loadDataDir = await load(await keepPglite(maker, from));
  return (await maker.create({ loadDataDir, startParams: paramsOf(maker) })) as Made;
}
