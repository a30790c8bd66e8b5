import type { Outbox, OutboxStore, Sql } from '@orders/outbox';
import { Hono } from 'hono';
import { DiscardDraftRequest, DraftRequest, type OrderDetail, type OrderSummary } from '../shared/api.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import type { Attempts } from './attempts.ts';
import { rowsOf } from './database.ts';
import { ApiError, checkJson } from './errors.ts';
import type { Events } from './events.ts';
import { viewUpdates } from './update-view.ts';

export interface OrderParts {
  readonly store: OutboxStore;
  readonly outbox: Outbox<ShopUpdate>;
  readonly attempts: Attempts;
  readonly events: Pick<Events, 'publish'>;
  /** Where the order service calls for an order. */
  readonly webhookUrl: (token: string) => string;
}

/** An order as the app first knows it. */
export interface NewOrder {
  readonly token: string;
  readonly body: ShopUpdate;
}

interface OrderRow {
  readonly token: string;
  readonly body: string;
  readonly version: string;
  readonly form: string | null;
  readonly base: string | null;
  readonly saved_at: Date | null;
}

const maxUpdates = 20;
/** How many open updates are counted. */
const maxOpen = 2_000;

/** The routes under `/api/orders`: orders and drafts. */
export function orderRoutes(parts: OrderParts) {
  const { store, outbox, attempts, webhookUrl, events } = parts;
  return new Hono()
    .get('/', async (c) => {
      const orders = await summarize(parts, await readOrders(store));
      return c.json<{ orders: readonly OrderSummary[] }>({ orders });
    })
    .get('/:token', async (c) => {
      const token = c.req.param('token');
      const row = await findOrder(store, token);
      const [summary] = await summarize(parts, [row]);
      if (!summary) throw unknownOrder();
      const [qr] = await rowsOf<{ id: string; at: Date }>(
        store,
        'select id, at from merchant.qr_sessions where token = $1 order by at desc limit 1',
        [token],
      );
      const { form, base, saved_at } = row;
      return c.json<OrderDetail>({
        ...summary,
        body: JSON.parse(row.body),
        bodyVersion: row.version,
        draft:
          form && saved_at
            ? { form: JSON.parse(form), base: base ?? '', savedAt: saved_at.toISOString() }
            : null,
        qrSession: qr ? { id: qr.id, at: qr.at.toISOString() } : null,
        webhookUrl: webhookUrl(token),
        updates: await viewUpdates(store, await outbox.history(token, maxUpdates)),
        attempts: attempts.list(token),
      });
    })
    .put('/:token/draft', checkJson(DraftRequest), async (c) => {
      const { token } = await findOrder(store, c.req.param('token'));
      const { form, base } = c.req.valid('json');
      await store.query(
        `insert into merchant.drafts (token, form, base) values ($1, $2, $3)
         on conflict (token) do update set form = excluded.form, base = excluded.base, saved_at = now()`,
        [token, stringify(form), base],
      );
      events.publish({ tokens: [token] });
      return c.body(null, 204);
    })
    .post('/:token/draft/discard', checkJson(DiscardDraftRequest), async (c) => {
      const { token } = await findOrder(store, c.req.param('token'));
      await deleteDraft(store, token, c.req.valid('json').form);
      events.publish({ tokens: [token] });
      return c.body(null, 204);
    });
}

/** Adds orders that the app does not know yet; known ones stay as they are. */
export async function addOrders(store: OutboxStore, orders: readonly NewOrder[]): Promise<void> {
  for (const { token, body } of orders)
    await store.query('insert into merchant.orders (token, body) values ($1, $2) on conflict do nothing', [
      token,
      JSON.stringify(body),
    ]);
}

/** Every order with what was applied to it last, in the order in which they were added. */
export async function listOrders(store: Sql): Promise<readonly NewOrder[]> {
  return (await readOrders(store)).map(({ token, body }) => ({ token, body: JSON.parse(body) }));
}

/** @throws ApiError 404 when the app does not know the order. */
export async function findOrder(sql: Sql, token: string): Promise<OrderRow> {
  const [row] = await readOrders(sql, token);
  if (row) return row;
  throw unknownOrder();
}

const unknownOrder = (): ApiError => new ApiError(404, 'unknown_order', 'This app knows no such order.');

function readOrders(sql: Sql, token?: string): Promise<OrderRow[]> {
  return rowsOf(
    sql,
    `select token, body, version, form, base, saved_at from merchant.orders left join merchant.drafts using (token)
     where $1::text is null or token = $1 order by position`,
    [token ?? null],
  );
}

async function summarize(
  { store, outbox }: OrderParts,
  rows: readonly OrderRow[],
): Promise<readonly OrderSummary[]> {
  const filter = { limit: maxOpen, ...(rows.length === 1 && rows[0] && { token: rows[0].token }) };
  const open = await outbox.list({ states: ['queued', 'sending'], ...filter });
  const review = await outbox.list({ states: ['needs_review'], ...filter });
  const latest = await Promise.all(rows.map(({ token }) => outbox.history(token, 1)));
  const lastUpdates = await viewUpdates(store, latest.flat());
  return rows.map(({ token, body: json, form }) => {
    const body: ShopUpdate = JSON.parse(json);
    const ofOrder = (update: { readonly token: string }): boolean => update.token === token;
    const needsReview = review.filter(ofOrder).length;
    return {
      token,
      orderId: body.order_id ?? null,
      currency: body.purchase_currency ?? null,
      lines: body.cart.items?.length ?? 0,
      hasDraft: form !== null,
      lastUpdate: lastUpdates.find(ofOrder) ?? null,
      open: open.filter(ofOrder).length + needsReview,
      needsReview,
    };
  });
}

/** Deletes the draft of an order if it still holds a form: another window may have saved another one. */
export async function deleteDraft(sql: Sql, token: string, form: unknown): Promise<void> {
  await sql.query('delete from merchant.drafts where token = $1 and form = $2', [token, stringify(form)]);
}

/** JSON from a request may be nested deeper than it can be written again. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    throw new ApiError(400, 'bad_request', 'The draft is nested too deep.');
  }
}
