import type { OrderUpdate } from '@orders/schema';
import type { Transaction } from 'kysely';
import { acceptUpdate, repeatUpdate } from './accept-update.ts';
import type { UpdateStore } from './desk-storage.ts';
import { addEvent } from './event-store.ts';
import { isStorable } from './is-storable.ts';
import { isUndecided } from './is-undecided.ts';
import { countInOutbox, listWaiting } from './list-waiting.ts';
import { recoverUpdates } from './recover-updates.ts';
import { decideUpdate, settleUpdate } from './settle-update.ts';
import type { StoreParts } from './store-parts.ts';
import type { Tables } from './tables.ts';
import { UpdateConflict } from './update-conflict.ts';
import { readView, viewColumns } from './update-view.ts';

/**
 * Makes the store of updates. A change that does not fit what is stored throws an `UpdateConflict`. What has resolved
 * survives the end of the process; a power cut it survives on PostgreSQL alone (see `openPglite`).
 */
export function createUpdateStore({ database, change, now }: StoreParts): UpdateStore {
  return {
    accept: (update, handOver) =>
      change((transaction) => acceptUpdate(transaction, update, { at: now(), handOver })),

    markSending: (id, attempt) =>
      change(async (transaction) => {
        const at = now();
        const marked = await transaction
          .updateTable('updates')
          .set(({ fn, val }) => ({ state: 'sending', sending_at: fn.coalesce('sending_at', val(at)) }))
          .where('id', '=', id)
          .where('state', 'in', ['queued', 'sending'])
          .returning('token')
          .executeTakeFirst();
        if (!marked) throw await explainMissing(transaction, id);
        const event = { kind: 'attempt_started', token: marked.token, updateId: id, attempt } as const;
        return addEvent(transaction, event, at);
      }),

    settle: (id, report) =>
      change(async (transaction) => {
        const settled = await settleUpdate(transaction, { id, report }, now());
        if (!settled) throw await explainMissing(transaction, id);
        return settled;
      }),

    decide: (id, decision) => change((transaction) => decideUpdate(transaction, { id, decision }, now())),

    repeat: (id, newId, handOver) =>
      change(async (transaction) => {
        const at = now();
        const decided = await decideUpdate(transaction, { id, decision: 'sent_again' }, at);
        if (!decided) return undefined;
        return { decided, queued: await repeatUpdate(transaction, { id, newId }, { at, handOver }) };
      }),

    async find(id) {
      if (!isStorable(id)) return undefined;
      const row = await database
        .selectFrom('updates')
        .select([...viewColumns, 'body'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row && { ...readView(row), body: row.body as OrderUpdate };
    },

    async listOf(token, limit) {
      const rows = await database
        .selectFrom('updates')
        .select(viewColumns)
        .where('token', '=', token)
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readView);
    },

    async listUndecided(limit) {
      const rows = await database
        .selectFrom('updates')
        .select(viewColumns)
        .where(isUndecided)
        .orderBy('position')
        .limit(limit)
        .execute();
      return rows.map(readView);
    },

    listWaiting: (limit) => listWaiting(database, limit),
    countInOutbox: () => countInOutbox(database),

    recover: () => change((transaction) => recoverUpdates(transaction, now())),
  };
}

async function explainMissing(transaction: Transaction<Tables>, id: string): Promise<UpdateConflict> {
  const known = await transaction.selectFrom('updates').select('id').where('id', '=', id).executeTakeFirst();
  return new UpdateConflict(known ? 'already_settled' : 'no_such_update');
}
