import type { Kysely } from 'kysely';
import type { RunChange } from './run-change.ts';
import type { Tables } from './tables.ts';

/** What each store is made of. */
export interface StoreParts {
  readonly database: Kysely<Tables>;
  readonly change: RunChange;
  readonly now: () => Date;
}
