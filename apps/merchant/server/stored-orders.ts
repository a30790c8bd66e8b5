import type { OutboxStore, Sql } from '@orders/outbox';
import type { ShopUpdate } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import { ApiError } from './errors.ts';

/** An order as the app first knows it. */
export interface NewOrder {
  readonly token: string;
  readonly body: ShopUpdate;
}

/** Adds orders that the app does not know yet; known ones stay as they are. */
export async function addOrders(store: OutboxStore, orders: readonly NewOrder[]): Promise<void> {
  const rowsPerStatement = 500;
  for (let start = 0; start < orders.length; start += rowsPerStatement) {
    const page = orders.slice(start, start + rowsPerStatement);
    await store.query(
      `insert into merchant.orders (token, body, order_id, currency, lines, total)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::float8[]) on conflict do nothing`,
      [page.map(({ token }) => token), page.map(({ body }) => JSON.stringify(body)), ...columnsOf(page)],
    );
  }
}

/** Replaces the bodies of orders by those of updates that were applied. */
export async function replaceBodies(tx: Sql, updateIds: readonly string[]): Promise<void> {
  const applied = await rowsOf<{ id: string; token: string; body: string }>(
    tx,
    'select id, token, body from merchant.updates where id = any($1::uuid[]) and body is not null',
    [updateIds],
  );
  await tx.query(
    `update merchant.orders as o set body = new.body, version = new.id,
       order_id = new.order_id, currency = new.currency, lines = new.lines, total = new.total
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::float8[])
       as new (id, token, body, order_id, currency, lines, total)
     where o.token = new.token`,
    [
      applied.map(({ id }) => id),
      applied.map(({ token }) => token),
      applied.map(({ body }) => body),
      ...columnsOf(applied.map(({ body }) => ({ body: JSON.parse(body) as ShopUpdate }))),
    ],
  );
}

/** What lists show of bodies: order numbers, currencies, how many cart lines, and totals. */
function columnsOf(orders: readonly Pick<NewOrder, 'body'>[]) {
  // The database stores no zero character.
  const toText = (value: unknown): string | null =>
    typeof value === 'string' ? value.slice(0, 255).toWellFormed().replaceAll('\0', '\ufffd') : null;
  return [
    orders.map(({ body }) => toText(body.order_id)),
    orders.map(({ body }) => toText(body.purchase_currency)),
    orders.map(({ body }) => body.cart?.items?.length ?? 0),
    orders.map(({ body }) => (Number.isSafeInteger(body.total_amount) ? body.total_amount : null)),
  ];
}

/** The orders with what was applied to them last, in the order in which they were added: all, or the first few. */
export async function listOrders(
  store: Sql,
  { limit }: { readonly limit?: number } = {},
): Promise<readonly NewOrder[]> {
  const rows = await rowsOf<{ token: string; body: string }>(
    store,
    'select token, body from merchant.orders order by position limit $1',
    [limit ?? null],
  );
  return rows.map(({ token, body }) => ({ token, body: JSON.parse(body) }));
}

/**
 * Locks orders until the transaction ends, in one sequence for all callers. Enqueueing takes the same lock, so an update that
 * starts from what is read under it undoes none that is accepted meanwhile.
 */
export async function lockOrders(tx: Sql, tokens: readonly string[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtext('merchant'), key) from (
       select distinct hashtext(token) as key from unnest($1::text[]) as token order by key
     ) as keys`,
    [tokens],
  );
}

/**
 * What an order will hold once everything that is open was applied, so that an update that starts from it undoes no edit:
 * what is open by the copy of the outbox, or the updates with these ids. Locks the order.
 *
 * @throws ApiError 404 when the app does not know the order.
 */
export async function latestBody(tx: Sql, token: string, open?: readonly string[]): Promise<ShopUpdate> {
  await lockOrders(tx, [token]);
  const [row] = await rowsOf<{ body: string }>(
    tx,
    `select coalesce(
       (select body from merchant.updates
        where token = $1 and body is not null and case when $2::uuid[] is null
          then state in ('queued', 'sending', 'needs_review') else id = any($2::uuid[]) end
        order by number desc limit 1),
       body
     ) as body from merchant.orders where token = $1`,
    [token, open ?? null],
  );
  if (row) return JSON.parse(row.body);
  throw unknownOrder();
}

/** @throws ApiError 404 when the app does not know the order. */
export async function findOrder(sql: Sql, token: string): Promise<string> {
  const known = await rowsOf(sql, 'select from merchant.orders where token = $1', [token]);
  if (known.length > 0) return token;
  throw unknownOrder();
}

export const unknownOrder = (): ApiError =>
  new ApiError(404, 'unknown_order', 'This app knows no such order.');
