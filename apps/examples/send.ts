import { createOrdersClient } from '@orders/client';

const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'http://127.0.0.1:8402',
  apiKey: () => process.env.ORDERS_API_KEY,
});
// The service's token of the order, not your own order_id.
const token = process.env.ORDER_TOKEN ?? '';

const result = await orders.safeUpdateOrder(token, {
  order_id: 'A-1001',
  purchase_currency: 'SEK',
  cart: {
    items: [
      {
        type: 'physical',
        sku: 'mug',
        name: 'Mug',
        quantity: 2,
        unit_price: 12900,
      },
    ],
  },
});

if (result.ok) {
  console.log(result.outcome, result.status);
} else {
  const { error } = result;
  console.error(`${error.outcome}: ${error.message}`);
  if (error.code === 'validation_error') console.error(error.issues);
  console.error(`${error.receipt}`); // attempts, times, statuses; no key
  process.exitCode = 1;
}
await orders.close();
