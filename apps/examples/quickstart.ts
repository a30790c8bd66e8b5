import { createOrdersClient } from '@orders/client';
import { startMockOrderService } from '@orders/testing'; // a mock service

const service = await startMockOrderService();
const orders = createOrdersClient({
  baseUrl: service.url,
  apiKey: service.key,
});
const result = await orders.safeUpdateOrder(service.token, {
  order_id: 'A-1001',
  cart: { items: [{ sku: 'mug', quantity: 2, unit_price: 12900 }] },
});
if (result.ok) console.log(result.outcome, result.status);
else console.log(result.outcome, result.error.message);
await orders.close();
await service.close();
