import { serve } from '@hono/node-server';
import { createOrdersClient } from '@orders/client';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { toCustomerResponse } from './outcomes.ts';
import { buildCart, orderTokens, recordFailure } from './shop.ts';

// One client for the process: its calls share connections and pauses.
const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'https://api.example.com',
  apiKey: () => process.env.ORDERS_API_KEY,
});

const app = new Hono();

app.post('/orders/:id', bodyLimit({ maxSize: 100_000 }), async (c) => {
  // Another site can post text; before JSON, the browser asks this one.
  if (!c.req.header('content-type')?.startsWith('application/json'))
    return c.json({ message: 'Please send JSON.' }, 415);
  // Check here that this user may change this order.
  const token = orderTokens.get(c.req.param('id'));
  if (token === undefined)
    return c.json({ message: 'There is no such order.' }, 404);
  const cart = buildCart(await c.req.json().catch(() => undefined));
  if (cart === undefined)
    return c.json({ message: 'Please check your input.' }, 422);
  const result = await orders.safeUpdateOrder(token, { cart });
  const { error } = result;
  if (error) recordFailure(error, token, cart);
  const { status, headers, body } = toCustomerResponse(result);
  return c.json(body, status, headers);
});

const port = Number(process.env.PORT ?? 3000);
const server = serve(
  { fetch: app.fetch, port, hostname: '127.0.0.1' },
  (address) => {
    console.log('Listening on', address);
  },
);

function shutDown() {
  // Requests in progress finish first, then the client closes.
  server.close(() => orders.close());
  // Shorter than the time after which your platform kills the process.
  const graceMs = Number(process.env.GRACE_MS ?? 8_000);
  setTimeout(() => orders.destroy(), graceMs).unref();
}
process.once('SIGTERM', shutDown).once('SIGINT', shutDown);
