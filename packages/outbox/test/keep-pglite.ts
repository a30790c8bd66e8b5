import { PGlite } from '@electric-sql/pglite';
import { keepPglite } from '../../../.ci/make-pglite.ts';

/** Before any test begins, makes the database that tests copy: in their processes it would hold them up for seconds. */
export async function setup(): Promise<void> {
  await keepPglite(PGlite, import.meta.url);
}
