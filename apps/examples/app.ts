import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrdersClient } from '@orders/client';
import { createWebhookReader, WebhookEvent } from '@orders/schema';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { toCustomerResponse } from './outcomes.ts';
import { buildCart, orderTokens, recordFailure } from './shop.ts';

// The API documents neither these names nor a signature: both are examples.
const webhooks = createWebhookReader({
  eventName: 'event',
  qrSessionId: 'session_id',
});

/** The endpoints of a shop. It gets its client, so a test can pass one. */
export function createApp(orders: OrdersClient, webhookSecret: string) {
  const app = new Hono();
  const qrSessions: string[] = []; // your database instead

  app.use(bodyLimit({ maxSize: 100_000 }));

  app.post('/orders/:id', async (c) => {
    // Another site can post text; before JSON, the browser asks this one.
    if (!c.req.header('content-type')?.startsWith('application/json'))
      return c.json({ message: 'Please send JSON.' }, 415);
    const token = orderTokens.get(c.req.param('id'));
    const cart = buildCart(await c.req.json().catch(() => undefined));
    if (token === undefined || cart === undefined)
      return c.json({ message: 'Please check your input.' }, 422);
    const result = await orders.safeUpdateOrder(token, { cart });
    if (result.error) recordFailure(result.error, token, cart);
    const { status, headers, body } = toCustomerResponse(result);
    return c.json(body, status, headers);
  });

  app.post('/hooks', async (c) => {
    const text = await c.req.text();
    const expected = createHmac('sha256', webhookSecret)
      .update(text)
      .digest();
    const given = Buffer.from(c.req.header('x-signature') ?? '', 'hex');
    if (
      given.length !== expected.length ||
      !timingSafeEqual(given, expected)
    )
      return c.body(null, 401);
    const event = WebhookEvent.parse(JSON.parse(text));
    const session = webhooks.qrSessionId(event);
    if (session !== undefined) qrSessions.push(session);
    return c.body(null, 204);
  });

  return { app, qrSessions };
}
