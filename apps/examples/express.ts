import { createOrdersClient } from '@orders/client';
import express, { type ErrorRequestHandler } from 'express';
import { toCustomerResponse } from './outcomes.ts';
import { buildCart, orderTokens, recordFailure } from './shop.ts';

// One client for the process: its calls share connections and pauses.
const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'https://api.example.com',
  apiKey: () => process.env.ORDERS_API_KEY,
});

const app = express();
app.use(express.json());

app.post('/orders/:id', async (request, response) => {
  // Check here that this user may change this order.
  const token = orderTokens.get(request.params.id);
  if (token === undefined) {
    response.status(404).json({ message: 'There is no such order.' });
    return;
  }
  const cart = buildCart(request.body);
  if (cart === undefined) {
    response.status(422).json({ message: 'Please check your input.' });
    return;
  }
  const result = await orders.safeUpdateOrder(token, { cart });
  const { error } = result;
  if (error) recordFailure(error, token, cart);
  const { status, headers, body } = toCustomerResponse(result);
  response.status(status).set(headers).json(body);
});

// Express itself would respond to invalid JSON with an HTML page.
const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (error.type !== 'entity.parse.failed') next(error);
  else response.status(400).json({ message: 'Please check your input.' });
};
app.use(onError);

const port = Number(process.env.PORT ?? 3000);
const server = app.listen(port, '127.0.0.1', () => {
  console.log('Listening on', server.address());
});

function shutDown() {
  // Requests in progress finish first, then the client closes.
  server.close(() => orders.close());
  // Shorter than the time after which your platform kills the process.
  const graceMs = Number(process.env.GRACE_MS ?? 8_000);
  setTimeout(() => orders.destroy(), graceMs).unref();
}
process.once('SIGTERM', shutDown).once('SIGINT', shutDown);
