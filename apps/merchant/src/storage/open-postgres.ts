import { postgresStore } from '@orders/outbox';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolConfig, types } from 'pg';
import { describePlace } from './describe-place.ts';
import { explainPostgresError } from './explain-postgres-error.ts';
import { JsonColumns } from './json-columns.ts';
import type { OpenedDatabase } from './opened-database.ts';
import { holdPostgres } from './postgres-hold.ts';
import { StorageProblem } from './storage-problem.ts';
import type { Tables } from './tables.ts';

const connectTimeoutMs = 10_000;

/**
 * Opens a PostgreSQL database for one desk at a time.
 *
 * @throws StorageProblem when the address cannot be read or used, or another desk has the database.
 */
export async function openPostgres(databaseUrl: string): Promise<OpenedDatabase> {
  const place = describePlace({ databaseUrl });
  const config: PoolConfig = {
    connectionString: checkUrl(databaseUrl),
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'merchant desk',
    types: { getTypeParser },
  };
  try {
    const hold = await holdPostgres(config, place);
    const pool = new Pool(config);
    // An error of an idle connection ends the process where nobody listens; the next query says it again.
    pool.on('error', () => {});
    const database = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      plugins: [new JsonColumns()],
    });
    return {
      database,
      hold: () =>
        hold.keep().catch((error: unknown) => {
          throw explainPostgresError(error, place);
        }),
      openOutboxStore: async () => postgresStore({ connectionString: databaseUrl }),
      async close() {
        await database.destroy();
        await hold.release();
      },
    };
  } catch (error) {
    throw explainPostgresError(error, place);
  }
}

function checkUrl(databaseUrl: string): string {
  const isAddress =
    URL.canParse(databaseUrl) && ['postgres:', 'postgresql:'].includes(new URL(databaseUrl).protocol);
  if (isAddress && canDecode(databaseUrl)) return databaseUrl;
  // What was given is not shown: it may hold a password.
  throw new StorageProblem(
    'DATABASE_URL is not an address of PostgreSQL: write postgresql://user:password@host:5432/name, special characters percent-encoded.',
  );
}

function canDecode(databaseUrl: string): boolean {
  try {
    decodeURIComponent(databaseUrl);
    return true;
  } catch {
    return false;
  }
}

/** Numbers of 64 bits come as numbers: positions never leave the range where those are exact. */
function getTypeParser(id: number, format?: 'text' | 'binary') {
  return id === types.builtins.INT8 ? Number : types.getTypeParser(id, format);
}
