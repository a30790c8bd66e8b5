import { join } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { OutboxError } from '../outbox-error.ts';
import { reasonOf } from '../reason-of.ts';
import { makeFolder } from './make-folder.ts';

/** A folder that this process alone uses until it releases it, or ends in any way. */
export interface FolderLock {
  /** Where the database itself is. */
  readonly dataFolder: string;
  release(): void;
}

/** What SQLite says of a file that somebody else has locked. */
const busy = 5;

/**
 * Takes a folder for this process alone. PGlite itself takes no lock, and two processes would lose rows without a
 * word; the lock is that of an SQLite file beside the data, which the system frees even after `kill -9`.
 *
 * @throws OutboxError `folder_in_use` when another process has it, `folder_unusable` when nothing can be written there.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const { DatabaseSync } = loadSqlite();
  let lock: DatabaseSync | undefined;
  try {
    await makeFolder(folder);
    lock = new DatabaseSync(join(folder, 'lock.sqlite'));
    // In memory, the journal leaves no second file behind; a lock alone does not show that the folder can be written to.
    lock.exec(
      'pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive; pragma user_version = 1',
    );
  } catch (error) {
    lock?.close();
    throw explain(folder, error);
  }
  const held = lock;
  return { dataFolder: join(folder, 'data'), release: () => held.close() };
}

function explain(folder: string, error: unknown): OutboxError {
  if (error instanceof Error && 'errcode' in error && error.errcode === busy) {
    const message = `${folder} is in use by another process, or open in this one already: end that, or choose another folder; for several processes use PostgreSQL.`;
    return new OutboxError('folder_in_use', message, { cause: error });
  }
  return unusableFolder(folder, error);
}

/** The error of a folder in which no database can be kept. */
export function unusableFolder(folder: string, error: unknown): OutboxError {
  const message = `${folder} cannot hold a database: ${reasonOf(error)}. Choose a folder that can be written to.`;
  return new OutboxError('folder_unusable', message, { cause: error });
}

/** Node warns that its SQLite is experimental, which is no news to whoever uses this package. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  // The warning is given while the module loads, which is synchronous: no other warning can fall into this moment.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
