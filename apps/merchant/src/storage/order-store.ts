import { randomBytes } from 'node:crypto';
import type { OrderUpdate } from '@orders/schema';
import { sql } from 'kysely';
import type { KeptOrder, OrderStore } from './desk-storage.ts';
import { addEvent } from './event-store.ts';
import { isStorable } from './is-storable.ts';
import { listSummaries } from './list-summaries.ts';
import type { StoreParts } from './store-parts.ts';

/** Makes the store of orders and their drafts. */
export function createOrderStore({ database, change, now }: StoreParts): OrderStore {
  return {
    async add(orders) {
      await change(async (transaction) => {
        for (const { token, body, webhookSecret = makeSecret() } of orders)
          await transaction
            .insertInto('orders')
            .values({ token, body: JSON.stringify(body), webhook_secret: webhookSecret })
            .onConflict((conflict) => conflict.column('token').doNothing())
            .execute();
      });
    },

    list: () => listSummaries(database),

    async find(token) {
      if (!isStorable(token)) return undefined;
      const row = await database
        .selectFrom('orders')
        .leftJoin('drafts', 'drafts.token', 'orders.token')
        .where('orders.token', '=', token)
        .select(['body', 'form', 'webhook_secret', 'qr_session_id', 'qr_session_at'])
        .executeTakeFirst();
      return row && { token, ...readOrder(row) };
    },

    saveDraft: (token, draft) =>
      change(async (transaction) => {
        if (!isStorable(token)) return false;
        const order = await transaction
          .selectFrom('orders')
          .where('token', '=', token)
          .select(({ selectFrom, fn }) =>
            selectFrom('updates')
              .whereRef('updates.token', '=', 'orders.token')
              .select(fn.max('position').as('last'))
              .as('after_position'),
          )
          .executeTakeFirst();
        if (!order) return false;
        if (draft === null) {
          await transaction.deleteFrom('drafts').where('token', '=', token).execute();
          return true;
        }
        const saved = {
          form: JSON.stringify(draft),
          saved_at: now(),
          after_position: order.after_position ?? 0,
        };
        await transaction
          .insertInto('drafts')
          .values({ token, ...saved })
          .onConflict((conflict) => conflict.column('token').doUpdateSet(saved))
          .execute();
        return true;
      }),

    startQrSession: (token, sessionId) =>
      change(async (transaction) => {
        if (!isStorable(token) || !isStorable(sessionId)) return undefined;
        const at = now();
        const event = { kind: 'qr_session', token, sessionId } as const;
        // A session that came before another is a replay as well: it must not come back.
        const cameBefore = transaction
          .selectFrom('events')
          .where('token', '=', token)
          .where('kind', '=', event.kind)
          .where(sql<boolean>`event = ${JSON.stringify(event)}`)
          .select('seq');
        const started = await transaction
          .updateTable('orders')
          .set({ qr_session_id: sessionId, qr_session_at: at })
          .where('token', '=', token)
          .where(({ not, exists }) => not(exists(cameBefore)))
          .returning('token')
          .executeTakeFirst();
        return started && addEvent(transaction, event, at);
      }),
  };
}

interface OrderRow {
  readonly body: unknown;
  readonly form: unknown;
  readonly webhook_secret: string;
  readonly qr_session_id: string | null;
  readonly qr_session_at: Date | null;
}

function readOrder(row: OrderRow): Omit<KeptOrder, 'token'> {
  const { qr_session_id: id, qr_session_at: at } = row;
  return {
    // It was judged by the schema when it was accepted.
    body: row.body as OrderUpdate,
    draft: row.form,
    qrSession: id === null || at === null ? null : { id, at: at.toISOString() },
    webhookSecret: row.webhook_secret,
  };
}

/** 256 bits of chance, fit for a URL. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}
