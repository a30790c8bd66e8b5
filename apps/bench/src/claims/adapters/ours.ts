import { createOrdersClient } from '@orders/client';
import { apiKey, baseUrl, isSafest, report, timeoutMs, updates } from './program.ts';

const orders = createOrdersClient({ baseUrl, apiKey, ...(isSafest && { timeouts: { attempt: timeoutMs } }) });
// The client keeps the sequence of each order by itself.
await Promise.all(
  updates.map(async ({ id, token, update }) => {
    const { outcome } = await orders.safeUpdateOrder(token, update);
    report(id, { outcome });
  }),
);
