import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { Hono } from 'hono';
import type { BulkView } from '../src/contract/bulk-view.ts';
import type { DeskMessage } from '../src/contract/desk-event.ts';
import { DeskUpdate } from '../src/contract/desk-update.ts';
import { type BulkDesk, createBulkDesk } from '../src/server/bulk-desk.ts';
import { bulkRoutes } from '../src/server/bulk-routes.ts';
import { createEventHub } from '../src/server/event-hub.ts';
import { type BulkStore, createBulkStore } from '../src/storage/bulk-store.ts';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { openTestStorage } from './open-test-storage.ts';

export interface TestBulkDesk extends AsyncDisposable {
  readonly url: string;
  readonly storage: DeskStorage;
  readonly store: BulkStore;
  readonly bulks: BulkDesk;
  readonly orders: OrdersClient;
  readonly service: MockOrderService;
  /** Every state of a bulk that was published. */
  readonly published: readonly BulkView[];
  /** Resolves with the first state published from now on that fits. */
  until(fits: (bulk: BulkView) => boolean): Promise<BulkView>;
}

export interface TestBulkDeskOptions {
  /** Orders that the service knows: `order-1` to this one. @default 100 */
  readonly orders?: number;
  /** Attempts of each update. @default 1 */
  readonly maxAttempts?: number;
}

/** The API of bulks over a real storage and a real order service, without the rest of the desk. */
export async function openBulkDesk(options: TestBulkDeskOptions = {}): Promise<TestBulkDesk> {
  const { orders: count = 100, maxAttempts = 1 } = options;
  const tokens = Array.from({ length: count }, (_, index) => `order-${index + 1}`);
  const storage = await openTestStorage();
  const service = await startMockOrderService({ orders: tokens, schema: DeskUpdate });
  const orders = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    schema: DeskUpdate,
    retry: { maxAttempts },
  });
  const hub = createEventHub();
  const published: BulkView[] = [];
  hub.subscribe((message) => {
    const bulk = readBulk(message);
    if (bulk) published.push(bulk);
  });
  const store = createBulkStore(storage.database);
  const bulks = createBulkDesk({ store, orders, hub });
  const app = new Hono().route('/api/bulks', bulkRoutes({ store, bulks, schema: DeskUpdate }));
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/bulks`,
    storage,
    store,
    bulks,
    orders,
    service,
    published,
    until: (fits) =>
      new Promise((resolve) => {
        const leave = hub.subscribe((message) => {
          const bulk = readBulk(message);
          if (!bulk || !fits(bulk)) return;
          leave();
          resolve(bulk);
        });
      }),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await bulks.close();
      await orders.close();
      await service.close();
      await storage.close();
    },
  };
}

function readBulk(message: DeskMessage): BulkView | undefined {
  return message.type === 'passing' && message.event.kind === 'bulk_changed' ? message.event.bulk : undefined;
}
