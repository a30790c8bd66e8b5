import { createWebhookReader, OrderToken, WebhookEvent } from '@orders/schema';
import { Hono } from 'hono';
import * as z from 'zod/mini';
import { webhookFieldNames } from '../contract/desk-update.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { checkJson } from './check-json.ts';
import type { EventHub } from './event-hub.ts';
import { limitBody } from './limit-body.ts';
import { refuse } from './refuse.ts';
import { isSameSecret } from './webhook-url.ts';

/** The largest event that is read, in bytes. */
const maxEventBytes = 65_536;

/** What this desk takes for a session identifier: its form is not shown (interface document, Events). */
const SessionId = z.string().check(z.regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u));

const reader = createWebhookReader(webhookFieldNames);

export interface WebhookRoutesOptions {
  readonly storage: Pick<DeskStorage, 'orders'>;
  readonly hub: Pick<EventHub, 'publish'>;
}

/** Where the order service calls, under `/hooks`: whoever knows the address of an order may say that its QR code was scanned. */
export function webhookRoutes({ storage: { orders }, hub }: WebhookRoutesOptions): Hono {
  const routes = new Hono();

  routes.post(
    '/:token/:secret',
    limitBody(maxEventBytes),
    async (c, next) => {
      const { token, secret } = c.req.param();
      const order = OrderToken.safeParse(token).success ? await orders.find(token) : undefined;
      // An order that nobody knows takes as long to refuse as a secret that is wrong.
      const isKnown = isSameSecret(secret, order?.webhookSecret ?? '') && order !== undefined;
      return isKnown
        ? next()
        : refuse(c, 404, { code: 'not_found', message: 'There is no such webhook here.' });
    },
    checkJson(WebhookEvent),
    async (c) => {
      const event = c.req.valid('json');
      if (reader.eventName(event) !== 'start_qr_session') return c.body(null, 204);
      const session = SessionId.safeParse(reader.qrSessionId(event));
      if (!session.success)
        return refuse(c, 400, {
          code: 'bad_session',
          message: 'It carries no session identifier of 1 to 255 characters.',
        });
      const started = await orders.startQrSession(c.req.param('token'), session.data);
      if (started) hub.publish({ type: 'stored', ...started });
      return c.body(null, 204);
    },
  );
  return routes;
}
