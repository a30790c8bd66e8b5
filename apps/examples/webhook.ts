import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createOrdersClient } from '@orders/client';
import {
  createWebhookReader,
  defineOrderUpdate,
  WebhookEvent,
} from '@orders/schema';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

// The API does not document these names: write those of your service.
const schema = defineOrderUpdate({ qrSessionId: 'qr_session' });
const webhooks = createWebhookReader({
  eventName: 'event',
  qrSessionId: 'session_id',
});
const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_URL ?? 'https://api.example.com',
  apiKey: () => process.env.ORDERS_API_KEY,
  schema,
});

// Your database instead. Each order has a webhook URL of its own, with an
// unguessable part, which is stored hashed: anyone can call a URL.
const sha256 = (text: string) =>
  createHash('sha256').update(text).digest('hex');
const orderTokens = new Map([
  [sha256(process.env.WEBHOOK_SECRET ?? ''), process.env.ORDER_TOKEN ?? ''],
]);
const cart = { items: [{ sku: 'mug', quantity: 1, unit_price: 12900 }] };
const sessions = new Map<string, 'sending' | 'applied' | 'unknown'>();

const app = new Hono();
app.post('/hooks/:secret', bodyLimit({ maxSize: 16_384 }), async (c) => {
  const token = orderTokens.get(sha256(c.req.param('secret')));
  if (token === undefined) return c.body(null, 404);
  const json = await c.req.json().catch(() => undefined);
  const event = WebhookEvent.safeParse(json);
  if (!event.success) return c.body(null, 400);
  const session = webhooks.qrSessionId(event.data);
  // Ignore other events and repeated calls; respond before sending.
  if (session && !sessions.has(session)) void send(token, session);
  return c.body(null, 204);
});

async function send(token: string, session: string) {
  sessions.set(session, 'sending');
  const update = { cart, qr_session: session };
  const { ok, outcome, receipt } = await orders.safeUpdateOrder(
    token,
    update,
  );
  if (outcome === 'applied' || outcome === 'unknown')
    sessions.set(session, outcome); // `unknown`: a person decides
  else sessions.delete(session); // not applied: a repeat may send it
  if (!ok) console.error(`${receipt}`);
}

const port = Number(process.env.PORT ?? 3000);
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log('Listening on', address);
});
