import type { Outbox, OutboxStore, Sql, UpdateStatus } from '@orders/outbox';
import { Hono } from 'hono';
import type { ShownState } from '../shared/api.ts';
import { historyLimits } from '../shared/limits.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import { isoTime, rowsOf } from './database.ts';
import { pageSize, readNumber, toPage } from './pages.ts';
import { unknownOrder } from './stored-orders.ts';
import { viewUpdates } from './updates.ts';

export interface OrderParts {
  readonly store: OutboxStore;
  readonly outbox: Outbox<ShopUpdate>;
  /** Where the order service calls for an order. */
  readonly webhookUrl: (token: string) => string;
}

interface SummaryRow {
  readonly position: string;
  readonly token: string;
  readonly order_id: string | null;
  readonly currency: string | null;
  readonly lines: number;
  readonly total: number | null;
  readonly state: ShownState | null;
  readonly at: string | null;
  readonly needs_review: boolean;
}

interface DetailRow {
  readonly body: string;
  readonly version: string;
  readonly open: number;
  readonly review_id: string | null;
}

/** The routes under `/api/orders`. */
export function orderRoutes({ store, outbox, webhookUrl }: OrderParts) {
  return new Hono()
    .get('/', async (c) => {
      const { after, search = '' } = c.req.query();
      const rows = await readPage(store, {
        after: readNumber(after, { fallback: 0 }),
        search: search.trim(),
      });
      const { items, next } = toPage(rows, ({ position }) => position);
      // A search has one page, and says when it found more.
      const isSearch = search.trim() !== '';
      return c.json({
        orders: items.map(viewSummary),
        next: isSearch ? undefined : next,
        isCut: isSearch && next !== undefined,
      });
    })
    .get('/:token', async (c) => {
      const token = c.req.param('token');
      const [summary] = await rowsOf<SummaryRow>(store, `${summaries} where o.token = $1`, [token]);
      const [row] = await rowsOf<DetailRow>(store, details, [token]);
      if (!summary || !row) throw unknownOrder();
      const { first, most } = historyLimits;
      const limit = readNumber(c.req.query('updates'), { min: first, max: most, fallback: first });
      return c.json({
        ...viewSummary(summary),
        open: row.open,
        body: JSON.parse(row.body) as ShopUpdate,
        bodyVersion: row.version,
        webhookUrl: webhookUrl(token),
        updates: await viewUpdates(
          store,
          await readUpdates(outbox, { token, limit, reviewId: row.review_id }),
        ),
      });
    });
}

/** The latest updates of an order, newest first, and the one that the others wait for, though many came after it. */
async function readUpdates(
  outbox: Pick<Outbox, 'history' | 'get'>,
  order: { readonly token: string; readonly limit: number; readonly reviewId: string | null },
): Promise<readonly UpdateStatus[]> {
  const { token, limit, reviewId } = order;
  const latest = await outbox.history(token, limit);
  if (reviewId === null || latest.some(({ id }) => id === reviewId)) return latest;
  const review = await outbox.get(reviewId);
  // The list reads a copy of the outbox: it may have been decided meanwhile.
  return review?.state === 'needs_review' ? [...latest, review] : latest;
}

/** An order with its latest update; each part is found by an index. */
const summaries = `
  select o.position::text, o.token, o.order_id, o.currency, o.lines, o.total,
    case when last.state = 'queued' and review.token is not null then 'waiting' else last.state end as state,
    ${isoTime('last.at')} as at,
    review.token is not null as needs_review
  from merchant.orders as o
  left join lateral (
    select state, at from merchant.updates where token = o.token order by number desc limit 1
  ) as last on true
  left join lateral (
    select token from merchant.updates where token = o.token and state = 'needs_review' limit 1
  ) as review on true`;

/** What the list does not show of an order. */
const details = `
  select o.body, o.version,
    (select count(*)::int from merchant.updates
     where token = o.token and state in ('queued', 'sending', 'needs_review')) as open,
    (select id from merchant.updates where token = o.token and state = 'needs_review' order by number limit 1) as review_id
  from merchant.orders as o
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

function viewSummary(row: SummaryRow) {
  const { token, order_id, currency, lines, total, state, at, needs_review } = row;
  return {
    token,
    orderId: order_id,
    currency,
    lines,
    total,
    lastUpdate: state !== null && at ? { state, at } : null,
    needsReview: needs_review,
  };
}
