import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { allMigrations } from './migrations/all-migrations.ts';
import { StorageProblem } from './storage-problem.ts';
import type { Tables } from './tables.ts';

/**
 * Brings the tables up to what this desk knows, all of it or nothing.
 *
 * @throws StorageProblem when a newer desk made them.
 */
export async function migrate(database: Kysely<Tables>, place: string): Promise<void> {
  const provider = { getMigrations: async () => ({ ...allMigrations }) };
  const { error } = await new Migrator({ db: database, provider }).migrateToLatest();
  if (error === undefined) return;
  const isNewer = (await listExecuted(database)).some((name) => !Object.hasOwn(allMigrations, name));
  if (!isNewer) throw error;
  throw new StorageProblem(
    `${place} was made by a newer version of the desk: start that one, or choose another place.`,
    { cause: error },
  );
}

async function listExecuted(database: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly name: string }>`select name from kysely_migration`.execute(database);
  return rows.map(({ name }) => name);
}
