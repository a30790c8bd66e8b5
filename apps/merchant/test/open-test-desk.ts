import { fileURLToPath } from 'node:url';
import { createOrdersClient } from '@orders/client';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { buildOrderUpdate, type OrderService, startOrderService } from '@orders/testing';
import { createKnownOrders } from '../src/server/known-orders.ts';
import { type Desk, startDesk } from '../src/server/start-desk.ts';
import { createUpdateSender } from '../src/server/update-sender.ts';

export const pageDirectory = fileURLToPath(new URL('../dist/page/', import.meta.url));

export interface TestDesk extends AsyncDisposable {
  readonly desk: Desk;
  readonly service: OrderService;
}

export interface TestDeskOptions {
  /** Draft of the one order, `order-1`. */
  readonly draft?: OrderUpdate;
  /** What the desk's server lets through. */
  readonly schema?: OrderUpdateSchema;
  /** Orders that the desk knows and the order service does not. */
  readonly strangers?: readonly string[];
}

/** A desk and the order service behind it, each on a free port; failures are not tried again. */
export async function openTestDesk(options: TestDeskOptions = {}): Promise<TestDesk> {
  const { draft = buildOrderUpdate(), schema, strangers = [] } = options;
  const service = await startOrderService({ orders: ['order-1'] });
  const orders = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    retry: { maxAttempts: 1 },
  });
  const knownOrders = createKnownOrders(['order-1', ...strangers].map((token) => ({ token, draft })));
  const desk = await startDesk({
    pageDirectory,
    knownOrders,
    sendUpdate: createUpdateSender({ orders, knownOrders }),
    ...(schema ? { schema } : {}),
  });
  return {
    desk,
    service,
    async [Symbol.asyncDispose]() {
      await desk.close();
      await orders.close();
      await service.close();
    },
  };
}
