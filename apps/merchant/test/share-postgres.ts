import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import { openDatabase } from '../server/database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the PostgreSQL, or '' where there is none for this platform. */
    readonly postgres: string;
  }
}

/** A database with the tables of the app: copying it takes a tenth of making them. */
export const tables = 'merchant_tables';

/** A database lives for seconds: nothing need be cleaned up in it, read by other processes, or kept for a standby. */
const settings = {
  autovacuum: 'off',
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: 0,
  full_page_writes: 'off',
};

let postgres: TestPostgres | undefined;

/** Starts one PostgreSQL for the tests of all files. */
export async function setup({ provide }: TestProject): Promise<void> {
  postgres = await startPostgres({ settings });
  provide('postgres', postgres?.connectionString ?? '');
  if (!postgres) return;
  await postgres.query(`create database ${tables}`);
  const store = await openDatabase({ databaseUrl: new URL(tables, postgres.connectionString).href });
  await store.close();
}

export const teardown = async (): Promise<void> => postgres?.[Symbol.asyncDispose]();
