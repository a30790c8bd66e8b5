import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a test with a folder of its own, which is deleted afterwards. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  await use(folder).finally(() => rm(folder, { recursive: true, force: true }));
}
