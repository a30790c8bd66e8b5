import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OutboxStore, Sql } from '@orders/outbox';
import { createWebhookReader, WebhookEvent } from '@orders/schema';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { webhookFields } from '../shared/order-update.ts';
import { rowsOf } from './database.ts';
import { ApiError } from './errors.ts';
import type { Events } from './events.ts';

export interface WebhookParts {
  readonly store: OutboxStore;
  readonly events: Pick<Events, 'changed'>;
  readonly signer: WebhookSigner;
}

const maxBytes = 16_384;
/** How many sessions of an order are kept, the latest ones: an older one that comes again is new. */
const maxSessions = 100;
const reader = createWebhookReader(webhookFields);
const notFound = (): ApiError => new ApiError(404, 'not_found', 'There is no such webhook.');

/** A caller that knows the webhook URL of an order may report that its QR code was scanned, and nothing more. */
export function webhookRoutes({ store, events, signer }: WebhookParts) {
  const onError = () => {
    throw new ApiError(413, 'too_large', `An event has at most ${maxBytes} bytes.`);
  };
  return new Hono().post('/:token/:secret', bodyLimit({ maxSize: maxBytes, onError }), async (c) => {
    const { token, secret } = c.req.param();
    // An order that is unknown is refused like a secret that is wrong.
    if (!signer.verify(token, secret)) throw notFound();
    const event = parseEvent(await c.req.text());
    const sessionId = reader.qrSessionId(event);
    if (sessionId === undefined) return c.body(null, 204);
    // What cannot be stored, or shown in one line, is no identifier.
    if (!/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(sessionId))
      throw new ApiError(400, 'bad_session', 'The session identifier has 1 to 255 characters.');
    // A session that is known already is a replay.
    const added = await rowsOf(
      store,
      `with added as (
         insert into merchant.qr_sessions (token, id) select token, $2 from merchant.orders where token = $1
         on conflict do nothing returning id
       ),
       deleted as (
         delete from merchant.qr_sessions where token = $1 and exists (select from added) and id in (
           select id from merchant.qr_sessions where token = $1 order by at desc offset $3
         )
       )
       select from added`,
      // The statement does not see what it adds.
      [token, sessionId, maxSessions - 1],
    );
    if (added.length > 0) events.changed();
    return c.body(null, 204);
  });
}

function parseEvent(text: string): WebhookEvent {
  try {
    const checked = WebhookEvent.safeParse(JSON.parse(text));
    if (checked.success) return checked.data;
  } catch {
    // The same error as for JSON that is no object.
  }
  throw new ApiError(400, 'bad_request', 'Send a JSON object.');
}

/** Makes and checks the part of a webhook URL that cannot be guessed. */
export interface WebhookSigner {
  /** Path of an order's webhook. */
  path(token: string): string;
  verify(token: string, secret: string): boolean;
}

/** The secret of each order is derived from one key, which is stored. */
export async function createWebhookSigner(sql: Sql): Promise<WebhookSigner> {
  const [row] = await rowsOf<{ value: string }>(
    sql,
    `select value from merchant.settings where name = 'webhook_key'`,
  );
  const sign = (token: string): string =>
    createHmac('sha256', row?.value ?? '')
      .update(token)
      .digest('base64url');
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return {
    path: (token) => `/webhooks/${encodeURIComponent(token)}/${sign(token)}`,
    // Digests have one length, so that neither content nor length shows in the time it takes.
    verify: (token, secret) => timingSafeEqual(digest(secret), digest(sign(token))),
  };
}
