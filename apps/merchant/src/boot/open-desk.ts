import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OrdersClient } from '@orders/client';
import type { SendsThrough } from '../contract/outbox-view.ts';
import { createBulkDesk } from '../server/bulk-desk.ts';
import { recoverBulks } from '../server/bulk-recover.ts';
import { createClientDesk } from '../server/client-desk.ts';
import { createEventHub } from '../server/event-hub.ts';
import { createOutboxDesk } from '../server/outbox-desk.ts';
import { startDesk } from '../server/start-desk.ts';
import type { UpdateDesk } from '../server/update-desk.ts';
import { createBulkStore } from '../storage/bulk-store.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { openStorage, type StorageOptions } from '../storage/open-storage.ts';
import { BootProblem, listening } from './boot-problem.ts';
import { type ClosingStack, createClosingStack } from './closing-stack.ts';
import { openOutbox } from './open-outbox.ts';
import { planService, type ReachedService } from './reach-service.ts';
import type { Settings } from './read-arguments.ts';
import { namedOrders, sampleOrders } from './seed-orders.ts';

/** Everything that runs, and the ways to use and to end it. */
export interface OpenDesk {
  readonly url: string;
  /** Where everything is kept, for people. */
  readonly place: string;
  readonly service: { readonly url: string; readonly isOwn: boolean; readonly tokens: readonly string[] };
  readonly storage: DeskStorage;
  readonly orders: OrdersClient;
  readonly updates: UpdateDesk;
  readonly sendsThrough: SendsThrough;
  /** Aborted when the desk ends. */
  readonly signal: AbortSignal;
  /** Ends the desk, stores what became of what was on its way, then ends client, order service and storage. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Told in one line what a person should know. */
  readonly warn: (line: string) => void;
}

/**
 * Opens the storage, starts the order service if it is to be the desk's own, the client, and the desk.
 *
 * @throws BootProblem when a port cannot be had, the base URL or the key cannot be used, or updates wait in an outbox that
 * is not to be used; nothing is left running then.
 * @throws StorageProblem when storage cannot be opened.
 */
export async function openDesk(settings: Settings, options: OpenOptions): Promise<OpenDesk> {
  const opened = createClosingStack();
  try {
    return await open(settings, options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function open(settings: Settings, { warn }: OpenOptions, opened: ClosingStack): Promise<OpenDesk> {
  const { host, port, publicUrl, data, sendsThrough } = settings;
  // A base URL that cannot be used is told before anything is kept for it.
  const reachService = planService(settings.service);
  const storage = await openStorage(storageOptions(data));
  opened.add(() => storage.close());
  if (sendsThrough === 'client') await refuseToOvertake(storage);
  // What a killed process left behind is settled before anybody can look; what it left in the outbox goes on.
  await storage.updates.recover();
  await recoverBulks(storage);

  const service = await reachService(storage.orders);
  opened.add(() => service.close());
  const { orders, own } = service;
  const hub = createEventHub();
  const outbox = sendsThrough === 'outbox' ? await openOutbox({ storage, orders, warn }) : undefined;
  // The client waits for its calls, which may take longer than whoever pressed Ctrl-C does.
  const updates = outbox
    ? await createOutboxDesk({ storage, hub, outbox, warn })
    : createClientDesk({ storage, hub, orders, warn });
  opened.add(() => updates.close());
  const bulkStore = createBulkStore(storage.database);
  const bulks = createBulkDesk({ store: bulkStore, hub, orders, warn });
  opened.add(() => bulks.close());
  const ending = new AbortController();
  opened.add(() => ending.abort());

  const made = { storage, hub, orders, desk: updates, bulks, bulkStore, service: own, outbox };
  const desk = await listening({ host, port, option: '--port' }, () =>
    startDesk({ host, port, publicUrl, pageDirectory, ...made }),
  );
  opened.add(() => desk.close());
  await storage.orders.add(newOrders(settings.service, service, desk.publicUrl));
  const tokens = (await storage.orders.list()).map(({ token }) => token);
  return {
    url: desk.url,
    place: storage.place,
    service: { url: service.url, isOwn: own !== undefined, tokens },
    storage,
    orders,
    updates,
    sendsThrough,
    signal: ending.signal,
    close: () => opened.close(),
  };
}

/** A newer update that leaves at once would be undone by an older one that leaves later. */
async function refuseToOvertake({ updates, place }: DeskStorage): Promise<void> {
  const count = await updates.countInOutbox();
  if (count === 0) return;
  const wait = count === 1 ? '1 update waits' : `${count} updates wait`;
  throw new BootProblem(
    `${wait} in the outbox of ${place}, and what is sent beside it would overtake: start with --outbox.`,
  );
}

/** From the sources and from the build alike. */
const pageDirectory = fileURLToPath(new URL('../../dist/page/', import.meta.url));

function storageOptions(data: Settings['data']): StorageOptions {
  if (data === 'memory') return {};
  return 'folder' in data ? { folder: resolve(data.folder) } : data;
}

/** Those that are known already stay as they are. */
function newOrders(service: Settings['service'], { own }: ReachedService, publicUrl: string) {
  if (service.kind === 'other') return namedOrders(service.tokens);
  return sampleOrders(own?.orders.map(({ token }) => token) ?? [], publicUrl);
}
