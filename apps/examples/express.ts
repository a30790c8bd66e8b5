import { createOrdersClient } from '@orders/client';
import express from 'express';
import { toCustomerResponse } from './outcomes.ts';

// One client for the process: its calls share connections and pauses.
const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_URL ?? 'https://api.example.com',
  apiKey: () => process.env.ORDERS_API_KEY,
});
// Your database instead.
const orderTokens = new Map([['A-1001', process.env.ORDER_TOKEN ?? '']]);

const app = express();
app.use(express.json());

app.post('/orders/:id', async (request, response) => {
  // Check here that this user may change this order.
  const token = orderTokens.get(request.params.id);
  if (token === undefined) {
    response.status(404).json({ message: 'There is no such order.' });
    return;
  }
  const result = await orders.safeUpdateOrder(token, request.body);
  if (!result.ok) console.error(`${result.error.receipt}`);
  const { status, body } = toCustomerResponse(result);
  response.status(status).json(body);
});

const port = Number(process.env.PORT ?? 3000);
const server = app.listen(port, '127.0.0.1', () => {
  console.log('Listening on', server.address());
});

process.once('SIGTERM', () => {
  // Requests in progress finish first, then the client closes.
  server.close(() => orders.close());
  // Shorter than the time after which your platform kills the process.
  const graceMs = Number(process.env.GRACE_MS ?? 8_000);
  setTimeout(() => orders.destroy(), graceMs).unref();
});
