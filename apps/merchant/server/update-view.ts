import type { Outbox, Sql, UpdateDetails, UpdateStatus } from '@orders/outbox';
import type { UpdateSource, UpdateView } from '../shared/api.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import { ApiError } from './errors.ts';

/** @throws ApiError 404 when there is no such update. */
export async function viewUpdate(sql: Sql, update: UpdateDetails | undefined): Promise<UpdateView> {
  const [view] = update ? await viewUpdates(sql, [update]) : [];
  if (!view) throw new ApiError(404, 'unknown_update', 'There is no such update.');
  return view;
}

/** The latest updates of an order, newest first. */
export async function viewHistory(
  { store, outbox }: { readonly store: Sql; readonly outbox: Pick<Outbox<ShopUpdate>, 'history'> },
  token: string,
  limit: number,
): Promise<readonly UpdateView[]> {
  return viewUpdates(store, await outbox.history(token, limit));
}

/** Updates as the page shows them. */
export async function viewUpdates(
  sql: Sql,
  updates: readonly (UpdateStatus | UpdateDetails)[],
): Promise<readonly UpdateView[]> {
  const rows = await rowsOf<{ id: string; source: UpdateSource; order_id: string | null }>(
    sql,
    `select u.id, u.source, o.order_id from merchant.updates as u left join merchant.orders as o using (token)
     where u.id = any($1::uuid[])`,
    [updates.map(({ id }) => id)],
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  return updates.map(({ createdAt, settledAt, sendingAt: _, traceparent: __, decision, ...update }) => {
    const { source = 'other', order_id = null } = known.get(update.id) ?? {};
    return {
      ...update,
      createdAt: createdAt.toISOString(),
      ...(settledAt && { settledAt: settledAt.toISOString() }),
      ...(decision && {
        decision: {
          at: decision.at.toISOString(),
          ...(decision.note !== undefined && { note: decision.note }),
        },
      }),
      source,
      ...(order_id !== null && { orderId: order_id }),
    };
  });
}
