import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createOrdersClient } from '@orders/client';
import { createOutbox } from '@orders/outbox';
import { createInbox } from '@orders/outbox/inbox';
import { pgliteStore } from '@orders/outbox/pglite';
import {
  createWebhookReader,
  defineOrderUpdate,
  type WebhookEvent,
} from '@orders/schema';
import { Hono } from 'hono';

const { WEBHOOK_SECRET, ORDER_TOKEN } = process.env;
if (!WEBHOOK_SECRET || !ORDER_TOKEN)
  throw new Error('Set WEBHOOK_SECRET and ORDER_TOKEN.');

// The API does not document these names: write those of your service.
const schema = defineOrderUpdate({ qrSessionId: 'qr_session' });
const webhooks = createWebhookReader({
  eventName: 'event',
  qrSessionId: 'session_id',
});
const client = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'https://api.example.com',
  apiKey: () => process.env.ORDERS_API_KEY,
  schema,
});
const store = await pgliteStore(process.env.OUTBOX_FOLDER ?? './outbox');
const outbox = await createOutbox({ client, store });
await outbox.start();

// Your database instead. Each order has a webhook URL of its own, with an
// unguessable part, which is stored hashed: anyone can call a URL.
const sha256 = (text: string) =>
  createHash('sha256').update(text).digest('hex');
const orderTokens = new Map([[sha256(WEBHOOK_SECRET), ORDER_TOKEN]]);
const cart = { items: [{ sku: 'mug', quantity: 1, unit_price: 12900 }] };

const inbox = createInbox({
  store,
  maxBytes: 16_384,
  verify(body, { url }) {
    const secret = new URL(url).pathname.split('/').at(-1) ?? '';
    const token = orderTokens.get(sha256(secret));
    if (token === undefined) return undefined;
    const event = JSON.parse(new TextDecoder().decode(body));
    // A repeated event is handled once; no other order can use up its id.
    // Only text is one, since JSON.parse rounds long numbers: others get 422.
    const isText = typeof event?.id === 'string' && event.id !== '';
    return {
      id: isText && JSON.stringify([token, event.id]),
      token,
      event,
    };
  },
  id: 'id',
  token: 'token',
  async handler({ token, payload }, { tx }) {
    const { event } = payload as { event: WebhookEvent };
    if (webhooks.eventName(event) !== 'start_qr_session') return;
    const session = webhooks.qrSessionId(event);
    if (session === undefined) throw new Error('The event has no session.');
    const update = { cart, qr_session: session };
    await outbox.enqueue(token, update, { tx }); // with the event, or neither
  },
});

const app = new Hono();
app.post('/hooks/:secret', (c) => inbox.receive(c.req.raw));
const port = Number(process.env.PORT ?? 3000);
const server = serve(
  { fetch: app.fetch, port, hostname: '127.0.0.1' },
  (at) => console.log('Listening on', at),
);

process.once('SIGTERM', async () => {
  server.close();
  await inbox.close();
  await outbox.close();
  await client.close();
});
