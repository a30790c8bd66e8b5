import { checkOptions } from '@orders/schema/check-options';
import type { EnqueueOptions } from './outbox.ts';
import { isUpdateId } from './update-status.ts';

/** The longest token that the index of the database holds whatever is in it, in bytes. */
const maxTokenBytes = 2_600;

/** Checks what `enqueue` is called with, but for the update itself. @throws TypeError that says what to write instead. */
export function checkEnqueue(token: string, options: EnqueueOptions): void {
  if (Buffer.byteLength(token) > maxTokenBytes) {
    throw new TypeError(
      `enqueue: the token has more than the ${maxTokenBytes} bytes that the outbox can store.`,
    );
  }
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('enqueue: give options as { tx, id }.');
  }
  checkOptions('enqueue', options, ['tx', 'id']);
  const { tx, id } = options;
  if (id !== undefined && !(typeof id === 'string' && isUpdateId(id))) {
    throw new TypeError('enqueue: write id as a UUID, as crypto.randomUUID() makes it.');
  }
  if (tx !== undefined) checkTransaction(tx);
}

/** What runs each statement by itself would accept the update whatever becomes of the caller's transaction. */
function checkTransaction(tx: object): void {
  if (tx === null || !('query' in tx) || typeof tx.query !== 'function') {
    throw new TypeError(
      'enqueue: pass as tx a client of pg, a transaction of PGlite, fromKysely(trx) or fromDrizzle(tx, sql).',
    );
  }
  if ('totalCount' in tx && 'idleCount' in tx) {
    throw new TypeError('enqueue: a pool is no transaction; pass as tx the client that began it.');
  }
  if ('transaction' in tx) {
    throw new TypeError('enqueue: a database is no transaction; pass as tx what its transaction() gives.');
  }
}
