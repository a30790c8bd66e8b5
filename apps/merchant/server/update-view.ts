import type { HeldBy, Sql, UpdateDetails, UpdateStatus } from '@orders/outbox';
import type { HeldView, UpdateSource, UpdateView } from '../shared/api.ts';
import { rowsOf } from './database.ts';
import { ApiError } from './errors.ts';

/** @throws ApiError 404 when there is no such update. */
export async function viewUpdate(sql: Sql, update: UpdateDetails | undefined): Promise<UpdateView> {
  const [view] = update ? await viewUpdates(sql, [update]) : [];
  if (!view) throw new ApiError(404, 'unknown_update', 'There is no such update.');
  return view;
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
  return updates.map(({ sendingAt: _, traceparent: __, ...status }) => {
    const { createdAt, settledAt, decision, heldBy, ...update } = status;
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
      ...(heldBy && { heldBy: viewHold(heldBy) }),
      source,
      ...(order_id !== null && { orderId: order_id }),
    };
  });
}

/** What holds an update; the page has words of its own for each reason. */
export const viewHold = ({ reason, id, until }: HeldBy): HeldView => ({
  reason,
  ...(id !== undefined && { id }),
  ...(until && { until: until.toISOString() }),
});
