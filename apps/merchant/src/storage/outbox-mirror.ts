import type { NumberedEvent } from '../contract/desk-event.ts';
import type { OutboxMirror } from './desk-storage.ts';
import { mirrorUpdate } from './mirror-update.ts';
import { settleUpdate } from './settle-update.ts';
import type { StoreParts } from './store-parts.ts';

/** The database schema of a desk's outbox. */
export const outboxSchema = 'desk_outbox';

/** Makes the store that mirrors the outbox. */
export function createOutboxMirror({ database, change, now }: StoreParts): OutboxMirror {
  return {
    async readCursor() {
      const row = await database
        .selectFrom('outbox_mirror')
        .select('cursor')
        .where('name', '=', outboxSchema)
        .executeTakeFirst();
      return row?.cursor;
    },

    take: ({ updates, cursor }) =>
      change(async (transaction) => {
        await transaction
          .insertInto('outbox_mirror')
          .values({ name: outboxSchema, cursor })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ cursor }))
          .execute();
        const events: NumberedEvent[] = [];
        for (const status of updates) events.push(...(await mirrorUpdate(transaction, status, now())));
        return events;
      }),

    async listOpen() {
      const open = await database
        .selectFrom('updates')
        .select('id')
        .where('in_outbox', '=', true)
        .where('state', 'in', ['queued', 'sending'])
        .orderBy('position')
        .execute();
      return open.map(({ id }) => id);
    },

    takeBack: (ids) =>
      change(async (transaction) => {
        const events: NumberedEvent[] = [];
        for (const id of ids) {
          const at = now();
          await transaction.updateTable('updates').set({ in_outbox: false }).where('id', '=', id).execute();
          const report = { ok: false, outcome: 'unknown', attempts: 0, at: at.toISOString(), error } as const;
          const settled = await settleUpdate(transaction, { id, report }, at);
          if (settled) events.push(settled.event);
        }
        return events;
      }),
  };
}

const error = {
  code: 'not_in_outbox',
  message: 'The outbox does not know this update any more, so what became of it is unknown.',
} as const;
