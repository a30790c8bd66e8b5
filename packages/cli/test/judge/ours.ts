import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { report, updates } from './program.ts';

const { ORDERS_BASE_URL: baseUrl = '', ORDERS_API_KEY: apiKey = '', ORDERS_TIMEOUT_MS } = process.env;
const orders = createOrdersClient({ baseUrl, apiKey, timeouts: { attempt: Number(ORDERS_TIMEOUT_MS) } });
await Promise.all(
  updates.map(async ({ id, token, update }) => {
    const { outcome } = await orders.safeUpdateOrder(token, update);
    report({ id, outcome });
  }),
);
await orders.close();
