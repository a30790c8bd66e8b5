import type { Outbox, OutboxStore, Sql } from '@orders/outbox';
import { Hono } from 'hono';
import {
  DiscardDraftRequest,
  DraftRequest,
  historyLimits,
  type OrderDetail,
  type OrderList,
  type OrderSummary,
} from '../shared/api.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import type { Attempts } from './attempts.ts';
import { rowsOf } from './database.ts';
import { ApiError, checkJson } from './errors.ts';
import type { Events } from './events.ts';
import { pageSize, readNumber, toPage } from './pages.ts';
import { viewHistory } from './update-view.ts';

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

interface SummaryRow {
  readonly position: string;
  readonly token: string;
  readonly order_id: string | null;
  readonly currency: string | null;
  readonly lines: number;
  readonly has_draft: boolean;
  readonly state: NonNullable<OrderSummary['lastUpdate']>['state'] | null;
  readonly at: Date | null;
  readonly needs_review: boolean;
}

interface DetailRow {
  readonly body: string;
  readonly version: string;
  readonly form: string | null;
  readonly base: string | null;
  readonly saved_at: Date | null;
  readonly open: number;
  readonly qr_id: string | null;
  readonly qr_at: Date | null;
}

/** The routes under `/api/orders`: orders and drafts. */
export function orderRoutes(parts: OrderParts) {
  const { store, outbox, attempts, webhookUrl, events } = parts;
  return new Hono()
    .get('/', async (c) => {
      const { after, search = '' } = c.req.query();
      const rows = await readPage(store, {
        after: readNumber(after, { fallback: 0 }),
        search: search.trim(),
      });
      const { items, next } = toPage(rows, ({ position }) => position);
      return c.json<OrderList>({
        orders: items.map(viewSummary),
        ...(next !== undefined && (search.trim() === '' ? { next } : { isCut: true })),
      });
    })
    .get('/:token', async (c) => {
      const token = c.req.param('token');
      const [summary] = await rowsOf<SummaryRow>(store, `${summaries} where o.token = $1`, [token]);
      const [row] = await rowsOf<DetailRow>(store, details, [token]);
      if (!summary || !row) throw unknownOrder();
      const { first, most } = historyLimits;
      const limit = readNumber(c.req.query('updates'), { min: first, max: most, fallback: first });
      const { form, base, saved_at, qr_id, qr_at } = row;
      return c.json<OrderDetail>({
        ...viewSummary(summary),
        open: row.open,
        body: JSON.parse(row.body),
        bodyVersion: row.version,
        draft:
          form && saved_at
            ? { form: JSON.parse(form), base: base ?? '', savedAt: saved_at.toISOString() }
            : null,
        qrSession: qr_id !== null && qr_at ? { id: qr_id, at: qr_at.toISOString() } : null,
        webhookUrl: webhookUrl(token),
        updates: await viewHistory({ store, outbox }, token, limit),
        attempts: attempts.list(token),
      });
    })
    .put('/:token/draft', checkJson(DraftRequest), async (c) => {
      const token = await findOrder(store, c.req.param('token'));
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
      const token = await findOrder(store, c.req.param('token'));
      await deleteDraft(store, token, c.req.valid('json').form);
      events.publish({ tokens: [token] });
      return c.body(null, 204);
    });
}

/** Adds orders that the app does not know yet; known ones stay as they are. */
export async function addOrders(store: OutboxStore, orders: readonly NewOrder[]): Promise<void> {
  const rowsPerStatement = 500;
  for (let start = 0; start < orders.length; start += rowsPerStatement) {
    const page = orders.slice(start, start + rowsPerStatement);
    await store.query(
      `insert into merchant.orders (token, body, order_id, currency, lines)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) on conflict do nothing`,
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
       order_id = new.order_id, currency = new.currency, lines = new.lines
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
       as new (id, token, body, order_id, currency, lines)
     where o.token = new.token`,
    [
      applied.map(({ id }) => id),
      applied.map(({ token }) => token),
      applied.map(({ body }) => body),
      ...columnsOf(applied.map(({ body }) => ({ body: JSON.parse(body) as ShopUpdate }))),
    ],
  );
}

/** What lists show of bodies: order numbers, currencies, and how many cart lines. */
function columnsOf(orders: readonly Pick<NewOrder, 'body'>[]) {
  // The database stores no zero character.
  const toText = (value: unknown): string | null =>
    typeof value === 'string' ? value.slice(0, 255).toWellFormed().replaceAll('\0', '\ufffd') : null;
  return [
    orders.map(({ body }) => toText(body.order_id)),
    orders.map(({ body }) => toText(body.purchase_currency)),
    orders.map(({ body }) => body.cart?.items?.length ?? 0),
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

/** @throws ApiError 404 when the app does not know the order. */
export async function findOrder(sql: Sql, token: string): Promise<string> {
  const known = await rowsOf(sql, 'select from merchant.orders where token = $1', [token]);
  if (known.length > 0) return token;
  throw unknownOrder();
}

const unknownOrder = (): ApiError => new ApiError(404, 'unknown_order', 'This app knows no such order.');

/** An order with its latest update; each part is found by an index. */
const summaries = `
  select o.position::text, o.token, o.order_id, o.currency, o.lines, d.token is not null as has_draft,
    case when last.state = 'queued' and review.token is not null then 'waiting' else last.state end as state, last.at,
    review.token is not null as needs_review
  from merchant.orders as o
  left join merchant.drafts as d on d.token = o.token
  left join lateral (
    select state, at from merchant.updates where token = o.token order by number desc limit 1
  ) as last on true
  left join lateral (
    select token from merchant.updates where token = o.token and state = 'needs_review' limit 1
  ) as review on true`;

/** What the list does not show of an order. */
const details = `
  select o.body, o.version, d.form, d.base, d.saved_at, qr.id as qr_id, qr.at as qr_at,
    (select count(*)::int from merchant.updates
     where token = o.token and state in ('queued', 'sending', 'needs_review')) as open
  from merchant.orders as o
  left join merchant.drafts as d on d.token = o.token
  left join lateral (select id, at from merchant.qr_sessions where token = o.token order by at desc limit 1) as qr on true
  where o.token = $1`;

/** The statement of a page of the list, or of the first orders that a search finds. */
export function pageStatement({ after, search }: { readonly after: number; readonly search: string }) {
  const limit = pageSize + 1;
  if (search === '')
    return {
      text: `${summaries} where o.position > $1 order by o.position limit $2`,
      values: [after, limit],
    };
  // Each in the sequence of its index, so that no more is read than is shown.
  const found = (column: string, pattern: string): string =>
    `(select token from merchant.orders where ${column} like ${pattern} order by ${column} using ~<~ limit $1)`;
  const text = `${summaries}
    where o.token in (
      ${found('token', '$2')} union ${found('lower(order_id)', '$3')} union ${found('reverse(lower(order_id))', '$4')}
    ) order by o.position limit $1`;
  const number = search.toLowerCase();
  const patterns = [search, number, [...number].toReversed().join('')].map(
    (part) => `${part.replace(/[\\%_]/g, '\\$&')}%`,
  );
  return { text, values: [limit, ...patterns] };
}

function readPage(
  sql: Sql,
  from: { readonly after: number; readonly search: string },
): Promise<SummaryRow[]> {
  const { text, values } = pageStatement(from);
  return rowsOf(sql, text, values);
}

function viewSummary(row: SummaryRow): OrderSummary {
  const { token, order_id, currency, lines, has_draft, state, at, needs_review } = row;
  return {
    token,
    orderId: order_id,
    currency,
    lines,
    hasDraft: has_draft,
    lastUpdate: state !== null && at ? { state, at: at.toISOString() } : null,
    needsReview: needs_review,
  };
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
