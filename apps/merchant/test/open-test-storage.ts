import { sql } from 'kysely';
import { afterAll } from 'vitest';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { openStorage, type StorageOptions } from '../src/storage/open-storage.ts';
import { copyTestFolder } from './copy-test-folder.ts';

const idle: DeskStorage[] = [];
const made: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const remove of made) await remove();
});

/**
 * Opens an empty storage of its own on PGlite. To open a database takes the greater part of a second, so one that a test
 * of the same file has closed is emptied and used again.
 */
export async function openTestStorage(options: Pick<StorageOptions, 'now'> = {}): Promise<DeskStorage> {
  const storage = options.now ? undefined : idle.pop();
  const opened = storage ?? (await openAnew(options));
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= options.now ? Promise.resolve() : giveBack(opened));
  return { ...opened, close, [Symbol.asyncDispose]: close };
}

async function openAnew(options: Pick<StorageOptions, 'now'>): Promise<DeskStorage> {
  const test = await copyTestFolder();
  const storage = await openStorage({ ...options, folder: test.folder });
  made.push(async () => {
    await storage.close();
    await test[Symbol.asyncDispose]();
  });
  return storage;
}

async function giveBack(storage: DeskStorage): Promise<void> {
  await sql`truncate orders, drafts, updates, events, bulks, bulk_rows restart identity cascade`.execute(
    storage.database,
  );
  idle.push(storage);
}
