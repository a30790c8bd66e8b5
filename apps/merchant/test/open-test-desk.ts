import { fileURLToPath } from 'node:url';
import { createOrdersClient, type OrdersClient, type RetryOptions } from '@orders/client';
import type { Outbox } from '@orders/outbox';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { buildOrderUpdate, type MockOrderService, startMockOrderService } from '@orders/testing';
import { DeskUpdate } from '../src/contract/desk-update.ts';
import type { SendsThrough } from '../src/contract/outbox-view.ts';
import { type BulkDesk, createBulkDesk } from '../src/server/bulk-desk.ts';
import { createClientDesk } from '../src/server/client-desk.ts';
import { createEventHub, type EventHub } from '../src/server/event-hub.ts';
import { createOutboxDesk } from '../src/server/outbox-desk.ts';
import { type Desk, startDesk } from '../src/server/start-desk.ts';
import type { UpdateDesk } from '../src/server/update-desk.ts';
import { type BulkStore, createBulkStore } from '../src/storage/bulk-store.ts';
import type { DeskStorage } from '../src/storage/desk-storage.ts';
import { openTestOutbox } from './open-test-outbox.ts';
import { openTestStorage } from './open-test-storage.ts';

export const pageDirectory = fileURLToPath(new URL('../dist/page/', import.meta.url));

export interface TestDesk extends AsyncDisposable {
  readonly orders: OrdersClient;
  readonly desk: Desk;
  readonly service: MockOrderService;
  readonly storage: DeskStorage;
  readonly hub: EventHub;
  readonly updates: UpdateDesk;
  readonly outbox: Outbox | undefined;
  readonly bulks: BulkDesk;
  readonly bulkStore: BulkStore;
}

export interface TestDeskOptions {
  /** What the desk knows at first of its one order, `order-1`, and of the strangers. */
  readonly draft?: OrderUpdate;
  /** What the desk's server lets through. */
  readonly schema?: OrderUpdateSchema;
  /** Orders besides `order-1` that both the desk and the order service know. */
  readonly others?: readonly string[];
  /** Orders that the desk knows and the order service does not. */
  readonly strangers?: readonly string[];
  /** How the client tries again. @default never */
  readonly retry?: RetryOptions;
  /** Whether the order service is the desk's own, which can be steered. @default true */
  readonly ownService?: boolean;
  /** Folder of the built page. @default dist/page */
  readonly pageDirectory?: string;
  readonly publicUrl?: string;
  /** Port of the desk, where it is not taken. @default a free one */
  readonly port?: number;
  /** What sends updates. @default 'client' */
  readonly sendsThrough?: SendsThrough;
  /** How long requests under way may take to end when it closes, in milliseconds. @default 1000 */
  readonly graceMs?: number;
}

/** A desk and the order service behind it, each on a free port, with a storage of its own. */
export async function openTestDesk(options: TestDeskOptions = {}): Promise<TestDesk> {
  const { draft = buildOrderUpdate(), schema = DeskUpdate, others = [], strangers = [] } = options;
  const { retry = { maxAttempts: 1 }, ownService = true, publicUrl, graceMs = 1000 } = options;
  const { sendsThrough = 'client', port = 0 } = options;
  const known = ['order-1', ...others];
  const service = await startMockOrderService({
    orders: known,
    schema: DeskUpdate,
  });
  const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, schema, retry });
  const storage = await openTestStorage();
  await storage.orders.add([...known, ...strangers].map((token) => ({ token, body: draft })));
  const hub = createEventHub();
  const outbox = sendsThrough === 'outbox' ? await openTestOutbox({ storage, orders }) : undefined;
  const updates = outbox
    ? await createOutboxDesk({ storage, hub, outbox })
    : createClientDesk({ storage, hub, orders });
  const bulkStore = createBulkStore(storage.database);
  const bulks = createBulkDesk({ store: bulkStore, hub, orders });
  const app = {
    pageDirectory: options.pageDirectory ?? pageDirectory,
    storage,
    hub,
    desk: updates,
    bulks,
    bulkStore,
    orders,
    schema,
    publicUrl,
    graceMs,
    service: ownService ? service : undefined,
    outbox,
  };
  const desk = await startDesk({ ...app, port }).catch((error: unknown) => {
    if (port === 0 || Object(error).code !== 'EADDRINUSE') throw error;
    return startDesk(app);
  });
  return {
    orders,
    bulks,
    bulkStore,
    desk,
    service,
    storage,
    hub,
    updates,
    outbox,
    async [Symbol.asyncDispose]() {
      await desk.close();
      await updates.close();
      await bulks.close();
      await orders.close();
      await service.close();
      await storage.close();
    },
  };
}
