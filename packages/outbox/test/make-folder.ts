import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { makePgliteFolder } from '../../../.ci/make-pglite.ts';

/** Makes a folder for an outbox that holds nothing yet: copied, in a fifth of the time that PGlite takes to make it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await makePgliteFolder(join(folder, 'data'), (options) => PGlite.create(options), import.meta.url);
}
