import { PGlite } from '@electric-sql/pglite';
import { keepPglite } from '../../../.ci/make-pglite.ts';

/** Makes the database that tests copy before any of them begins: in their processes it would hold them up for seconds. */
export async function setup(): Promise<void> {
  await keepPglite((options) => PGlite.create(options), import.meta.url);
}
