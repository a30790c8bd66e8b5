import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { makePglite } from '../../../.ci/make-pglite.ts';

/** From here on, a PGlite in memory that this process makes is a copy of the empty one that tests keep: a third of the time. */
export function copyPglite(): void {
  const create = PGlite.create.bind(PGlite) as (...given: unknown[]) => Promise<PGlite>;
  const { prototype, defaultStartParams } = PGlite;
  PGlite.create = ((first?: string | PGliteOptions, ...rest: unknown[]) => {
    const isEmpty = typeof first !== 'string' && !first?.dataDir && !first?.loadDataDir;
    return isEmpty
      ? makePglite({ prototype, defaultStartParams, create }, import.meta.url)
      : create(first, ...rest);
  }) as typeof PGlite.create;
}
