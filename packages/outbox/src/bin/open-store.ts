import type { OutboxStore } from '../store/outbox-store.ts';
import { pgliteStore } from '../store/pglite-store.ts';
import { postgresStore } from '../store/postgres-store.ts';
import { CommandFailure } from './command-failure.ts';
import type { Place } from './place.ts';

/** Opens the store of a place. @throws OutboxError as `pgliteStore` does; CommandFailure for a wrong DATABASE_URL. */
export async function openStore({ where }: Place): Promise<OutboxStore> {
  if ('folder' in where) return pgliteStore(where.folder);
  try {
    return postgresStore(where);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = error.message.replace('postgresStore: write connectionString as', 'DATABASE_URL: write');
    throw new CommandFailure(message);
  }
}
