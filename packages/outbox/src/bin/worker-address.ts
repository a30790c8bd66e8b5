import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the process that works on a folder answers questions, and the secret that it wants to see. */
export interface WorkerAddress {
  readonly port: number;
  readonly secret: string;
  /** The schema that it works on. */
  readonly schema: string;
}

const fileOf = (folder: string): string => join(folder, 'worker.json');

/** Leaves an address in a folder, for its owner's eyes alone. */
export async function writeAddress(folder: string, address: WorkerAddress): Promise<void> {
  const draft = join(folder, `worker-${randomUUID()}.json`);
  await writeFile(draft, JSON.stringify(address), { mode: 0o600, flag: 'wx' });
  // Nobody ever reads half of it, or keeps the rights of an older file.
  await rename(draft, fileOf(folder));
}

/** Takes an address away, unless a later process has left its own. */
export async function removeAddress(folder: string, { secret }: WorkerAddress): Promise<void> {
  if ((await readAddress(folder))?.secret === secret) await rm(fileOf(folder), { force: true });
}

/** The address in a folder; the process that left it may be gone. */
export async function readAddress(folder: string): Promise<WorkerAddress | undefined> {
  try {
    const { port, secret, schema }: Partial<WorkerAddress> = JSON.parse(
      await readFile(fileOf(folder), 'utf8'),
    );
    const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
    if (!isPort || typeof secret !== 'string' || !/^[\w-]{43}$/.test(secret)) return undefined;
    return typeof schema === 'string' ? { port, secret, schema } : undefined;
  } catch {
    return undefined;
  }
}
