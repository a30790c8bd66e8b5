import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Outbox, OutboxStore, Sql } from '@orders/outbox';
import { createInbox, type EventState, type Inbox } from '@orders/outbox/inbox';
import { createWebhookReader, WebhookEvent } from '@orders/schema';
import { Hono } from 'hono';
import { type ShopUpdate, webhookFields } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import type { Log } from './errors.ts';
import type { Events } from './events.ts';
import { latestBody } from './stored-orders.ts';
import { enqueueUpdates } from './updates.ts';

export interface InboxParts {
  readonly store: OutboxStore;
  readonly outbox: Outbox<ShopUpdate>;
  readonly signer: WebhookSigner;
  readonly log: Log;
}

/** What is stored of a webhook. */
interface Scan {
  /** Absent where the session is no text, or cannot be stored or shown in one line: it is refused then. */
  readonly id?: string;
  readonly token: string;
  readonly session: string;
}

const reader = createWebhookReader(webhookFields);

/** About so many sessions of an order are kept: a shopper scans a few times, and who knows the URL could go on without end. */
const maxSessions = 100;
const eventStates: readonly EventState[] = ['queued', 'handled', 'needs_review', 'discarded'];

/**
 * Receives the webhooks of all orders. A caller that knows the webhook URL of an order may report that its QR code was
 * scanned, and nothing more: the session goes into an update of the order, which is queued with the event, or neither.
 */
export function openInbox({ store, outbox, signer, log }: InboxParts): Inbox {
  const full = new Set<string>();
  const inbox = createInbox({
    store,
    maxBytes: 16_384,
    maxWaiting: maxSessions,
    async verify(body, { url }): Promise<Scan> {
      const token = signer.tokenOf(new URL(url).pathname);
      if (token === undefined) throw new Response('There is no such webhook.\n', { status: 404 });
      const event = parseEvent(body);
      // Other events are not stored.
      if (reader.eventName(event) !== 'start_qr_session') throw new Response(null, { status: 204 });
      const session = reader.qrSessionId(event) ?? '';
      const isUsable = /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(session);
      if (!isUsable) return { token, session };
      const id = digestOf(token, session);
      const stored = await inbox.list({ token, states: eventStates, limit: maxSessions });
      if (stored.length < maxSessions || (await inbox.get(id))) return { id, token, session };
      if (!full.has(token))
        log({ level: 'warn', message: `An order has had ${maxSessions} sessions: further ones get 429.` });
      full.add(token);
      throw new Response('This order has had too many sessions.\n', { status: 429 });
    },
    id: 'id',
    token: 'token',
    async handler({ token, payload }, { tx }) {
      const { session } = payload as Scan;
      const update = { ...(await latestBody(tx, token)), qr_session_id: session };
      await enqueueUpdates(outbox, tx, [{ id: randomUUID(), token, update, source: 'webhook' }]);
    },
    warn: (message) => log({ level: 'warn', message }),
  });
  return inbox;
}

/** A session that comes again is a replay; the log, which names events by it, holds neither token nor session. */
const digestOf = (token: string, session: string): string =>
  createHash('sha256')
    .update(JSON.stringify([token, session]))
    .digest('base64url');

/** @throws Response 400 */
function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return WebhookEvent.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    throw new Response('Send a JSON object.\n', { status: 400 });
  }
}

export interface WebhookParts {
  readonly inbox: Inbox;
  readonly events: Pick<Events, 'changed'>;
}

/** The routes under `/api/webhooks`: the decisions about events that could not be handled, which the status lists. */
export function webhookRoutes({ inbox, events }: WebhookParts) {
  return new Hono()
    .post('/:id/retry', async (c) => {
      await inbox.retry(c.req.param('id'));
      events.changed();
      return c.body(null, 204);
    })
    .post('/:id/discard', async (c) => {
      await inbox.discard(c.req.param('id'));
      events.changed();
      return c.body(null, 204);
    });
}

/** The text of a part of a path; of a part that is no text, an empty one. */
function decodeText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

/** Makes and checks the part of a webhook URL that cannot be guessed. */
export interface WebhookSigner {
  /** Path of an order's webhook. */
  path(token: string): string;
  /** The order whose webhook a path is; an unknown order is like a wrong secret. */
  tokenOf(path: string): string | undefined;
}

/** The secret of each order is derived from one key, which is stored. */
export async function createWebhookSigner(sql: Sql): Promise<WebhookSigner> {
  const [row] = await rowsOf<{ value: string }>(
    sql,
    `select value from merchant.settings where name = 'webhook_key'`,
  );
  // Without a key, anybody could work out the URL of a webhook.
  if (!row?.value)
    throw new Error(`merchant.settings has no 'webhook_key': restart the app, which adds one.`);
  const sign = (token: string): string => createHmac('sha256', row.value).update(token).digest('base64url');
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return {
    path: (token) => `/webhooks/${encodeURIComponent(token)}/${sign(token)}`,
    tokenOf(path) {
      const [, encoded = '', secret = ''] = /^\/webhooks\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
      const token = decodeText(encoded);
      // Digests have one length, so that neither content nor length shows in the time it takes.
      return timingSafeEqual(digest(secret), digest(sign(token))) ? token : undefined;
    },
  };
}
