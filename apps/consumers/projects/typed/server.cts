/** What a back end in TypeScript writes that is compiled to CommonJS. */
import { basic } from '@orders/auth';
import { createOrdersClient } from '@orders/client';
import { explain, OrderUpdate } from '@orders/schema';
import { startMockOrderService } from '@orders/testing';

export async function send(body: unknown): Promise<number> {
  const parsed = OrderUpdate.safeParse(body);
  if (!parsed.success) throw new Error(explain(parsed.error)[0]?.hint);
  const service = await startMockOrderService();
  const orders = createOrdersClient({ baseUrl: service.url, credentials: basic(service.key) });
  try {
    const { status } = await orders.updateOrder(service.token, parsed.data);
    return status;
  } finally {
    await orders.close();
    await service.close();
  }
}

// @ts-expect-error: a key is a string
basic(1);
