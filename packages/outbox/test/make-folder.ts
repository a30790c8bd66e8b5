import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { copyFolder } from '../../../.ci/copy-folder.ts';
import { keepPglite } from '../../../.ci/make-pglite.ts';

/** Makes a folder for an outbox that holds nothing yet: copied, in a fifth of the time that PGlite takes to make it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const kept = await keepPglite(PGlite, import.meta.url);
  await copyFolder(kept, join(folder, 'data'));
}
