import { OutboxError } from '../outbox-error.ts';
import { reasonOf } from '../reason-of.ts';
import type { OutboxStore } from '../store/outbox-store.ts';
import { rowsOf } from '../store/sql.ts';

/**
 * The version of the tables of an outbox; undefined where there are none.
 *
 * @throws OutboxError `database_unusable`
 */
export async function readTablesVersion(store: OutboxStore, schema: string): Promise<number | undefined> {
  try {
    const found = 'select to_regclass($1) is not null as is_there';
    const [table] = await rowsOf<{ is_there: boolean }>(store, found, [`${schema}.version`]);
    if (!table?.is_there) return undefined;
    const [row] = await rowsOf<{ version: number }>(store, `select version from ${schema}.version`);
    return row?.version;
  } catch (error) {
    const message = `${store.place} cannot be used: ${reasonOf(error)}. Check its address, name, user and rights.`;
    throw new OutboxError('database_unusable', message, { cause: error });
  }
}
