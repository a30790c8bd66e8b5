import type { OrderUpdate } from '@orders/schema';
import type { Kysely, Selectable } from 'kysely';
import type { OrderSummary } from '../contract/order-view.ts';
import type { UpdateView } from '../contract/update-view.ts';
import { isUndecided } from './is-undecided.ts';
import type { Tables, UpdatesTable } from './tables.ts';
import { readView, type ViewRow, viewColumns } from './update-view.ts';

/** The columns of an order's last update; all are null when there is none. */
type LastRow = { readonly [Column in keyof ViewRow]: Selectable<UpdatesTable>[Column] | null };

/** Reads every order as the list shows it, in the order they became known, by one query. */
export async function listSummaries(database: Kysely<Tables>): Promise<readonly OrderSummary[]> {
  const rows = await database
    .selectFrom('orders')
    .leftJoin('drafts', 'drafts.token', 'orders.token')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('updates')
          .select(viewColumns)
          .whereRef('updates.token', '=', 'orders.token')
          .orderBy('position', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(({ selectFrom, fn }) => [
      'orders.token',
      'orders.body',
      'drafts.saved_at',
      'last.id',
      'last.state',
      'last.body_bytes',
      'last.created_at',
      'last.report',
      'last.decision',
      'last.repeats',
      'last.in_outbox',
      'last.round',
      selectFrom('updates')
        .whereRef('updates.token', '=', 'orders.token')
        .where(isUndecided)
        .select(fn.countAll<number>().as('count'))
        .as('undecided'),
    ])
    .orderBy('orders.position')
    .execute();

  return rows.map((row) => ({
    token: row.token,
    ...summarize(row.body as OrderUpdate),
    hasDraft: row.saved_at !== null,
    lastUpdate: readLast(row),
    undecided: row.undecided ?? 0,
  }));
}

function summarize(body: OrderUpdate): Pick<OrderSummary, 'orderId' | 'currency' | 'lines'> {
  return {
    orderId: body.order_id ?? null,
    currency: body.purchase_currency ?? null,
    lines: body.cart.items?.length ?? 0,
  };
}

function readLast(row: LastRow): UpdateView | null {
  const { id, token, state, body_bytes, created_at, in_outbox, round } = row;
  if (id === null || token === null || state === null || body_bytes === null || created_at === null)
    return null;
  return readView({
    ...row,
    id,
    token,
    state,
    body_bytes,
    created_at,
    in_outbox: in_outbox ?? false,
    round: round ?? 0,
  });
}
