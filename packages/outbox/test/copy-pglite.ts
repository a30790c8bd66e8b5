import { PGlite } from '@electric-sql/pglite';
import { makePglite } from '../../../.ci/make-pglite.ts';

/** From here on, a PGlite in memory that this process makes is a copy of the empty one that tests keep: a third of the time. */
export function copyPglite(): void {
  const create = PGlite.create.bind(PGlite);
  PGlite.create = ((...options: []) =>
    options.length > 0
      ? create(...options)
      : makePglite((made) => create(made), import.meta.url)) as typeof PGlite.create;
}
