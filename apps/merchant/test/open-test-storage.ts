import { PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import { makePglite } from '../../../.ci/make-pglite.ts';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { adoptPglite } from '../src/storage/open-pglite.ts';
import { type StorageOptions, storeIn } from '../src/storage/open-storage.ts';
import { outboxSchema } from '../src/storage/outbox-mirror.ts';

interface Kept {
  readonly storage: DeskStorage;
  /** The clock of the test that has it. */
  now: () => Date;
}

const idle: Kept[] = [];

/**
 * Gives an empty storage of its own on PGlite in memory. To create a database takes seconds, so it is a
 * copy, and one that an earlier test of this process has closed is emptied and used again.
 */
export async function openTestStorage(options: Pick<StorageOptions, 'now'> = {}): Promise<DeskStorage> {
  const kept = idle.pop() ?? (await create());
  kept.now = options.now ?? systemClock;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= giveBack(kept));
  return { ...kept.storage, close, [Symbol.asyncDispose]: close };
}

const systemClock = () => new Date();

async function create(): Promise<Kept> {
  const clock = { now: systemClock };
  const pglite = await makePglite((options) => PGlite.create(options), import.meta.url);
  const storage = await storeIn(adoptPglite(pglite), { now: () => clock.now() });
  return Object.assign(clock, { storage });
}

async function giveBack(kept: Kept): Promise<void> {
  const { database } = kept.storage;
  await sql`truncate orders, drafts, updates, events, bulks, bulk_rows, outbox_mirror restart identity cascade`.execute(
    database,
  );
  for (const schema of [outboxSchema, `${outboxSchema}_queue`])
    await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(database);
  idle.push(kept);
}
