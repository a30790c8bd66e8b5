import type { NumberedEvent } from '../contract/desk-event.ts';
import type { OutboxMirror } from './desk-storage.ts';
import { mirrorStep } from './mirror-step.ts';
import { settleUpdate } from './settle-update.ts';
import type { StoreParts } from './store-parts.ts';

/** The database schema of a desk's outbox. */
export const outboxSchema = 'desk_outbox';

/** Makes the store of what was told of the outbox. */
export function createOutboxMirror({ database, change, now }: StoreParts): OutboxMirror {
  async function readSeq(from: Pick<typeof database, 'selectFrom'>): Promise<number> {
    const row = await from
      .selectFrom('outbox_mirror')
      .select('seq')
      .where('name', '=', outboxSchema)
      .executeTakeFirst();
    return row?.seq ?? 0;
  }

  return {
    lastSeq: () => readSeq(database),

    take: (steps) =>
      change(async (transaction) => {
        const told = await readSeq(transaction);
        const fresh = steps.filter(({ event }) => event.seq > told);
        const last = fresh.at(-1);
        if (!last) return [];
        const { seq } = last.event;
        await transaction
          .insertInto('outbox_mirror')
          .values({ name: outboxSchema, seq })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ seq }))
          .execute();
        const events: NumberedEvent[] = [];
        for (const step of fresh) events.push(...(await mirrorStep(transaction, step)));
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
