import type { Sql, UpdateStatus } from '@orders/outbox';
import type { UpdateSource, UpdateView } from '../shared/api.ts';
import { rowsOf } from './database.ts';
import { ApiError } from './errors.ts';

/** @throws ApiError 404 when there is no such update. */
export async function viewUpdate(sql: Sql, update: UpdateStatus | undefined): Promise<UpdateView> {
  const [view] = update ? await viewUpdates(sql, [update]) : [];
  if (!view) throw new ApiError(404, 'unknown_update', 'There is no such update.');
  return view;
}

/** Updates as the page shows them; with bodies, as long as they may be sent. */
export async function viewUpdates(
  sql: Sql,
  updates: readonly UpdateStatus[],
  { withBodies = false } = {},
): Promise<readonly UpdateView[]> {
  const rows = await rowsOf<{ id: string; source: UpdateSource; body: string | null }>(
    sql,
    `select id, source, ${withBodies ? 'body' : 'null as body'} from merchant.sent where id = any($1::uuid[])`,
    [updates.map(({ id }) => id)],
  );
  const sent = new Map(rows.map((row) => [row.id, row]));
  return updates.map(({ createdAt, settledAt, sendingAt: _, traceparent: __, decision, ...update }) => {
    const { source = 'other', body = null } = sent.get(update.id) ?? {};
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
      ...(body !== null && { update: JSON.parse(body) }),
      source,
    };
  });
}
