import { createOrdersClient, type OrdersClient } from '@orders/client';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { DeskUpdate } from '../contract/desk-update.ts';
import type { OrderStore } from '../storage/desk-storage.ts';
import { BootProblem, listening } from './boot-problem.ts';
import type { Settings } from './read-arguments.ts';
import { sampleDrafts } from './sample-drafts.ts';

/** An order service that can be talked to. */
export interface ReachedService {
  readonly url: string;
  readonly orders: OrdersClient<DeskUpdate>;
  /** The service itself when it is the desk's own. */
  readonly own?: MockOrderService<DeskUpdate>;
  /** Waits for the calls that are on their way, then ends what is the desk's own. */
  close(): Promise<void>;
}

/** How many entries the desk's own order service keeps of what happened. */
const historyLimit = 10_000;

/** The orders that were kept. */
type KeptOrders = Pick<OrderStore, 'list' | 'find'>;

/**
 * Makes sure that an order service can be talked to, and gives what reaches it: one of the desk's own is started then,
 * with the orders that were kept.
 *
 * @throws BootProblem when the base URL or the key cannot be used; what it gives rejects with one when the port cannot be had.
 */
export function planService(service: Settings['service']): (kept: KeptOrders) => Promise<ReachedService> {
  if (service.kind === 'own') return (kept) => startOwn(service.port, kept);
  const { baseUrl, apiKey } = service;
  const orders = makeClient({ baseUrl, apiKey });
  return async () => ({ url: baseUrl, orders, close: () => orders.close() });
}

async function startOwn(port: number, kept: KeptOrders): Promise<ReachedService> {
  const host = '127.0.0.1';
  const orders = await readSeed(kept);
  const own = await listening({ host, port, option: '--service-port' }, () =>
    startMockOrderService({ host, port, orders, schema: DeskUpdate, historyLimit }),
  );
  const client = makeClient({ baseUrl: own.url, apiKey: own.key });
  const close = async () => {
    await client.close();
    await own.close();
  };
  return { url: own.url, orders: client, own, close };
}

/** The orders that the desk knows, so that their tokens survive a restart; on the first start, as many as there are samples. */
async function readSeed(kept: KeptOrders) {
  const known = await Promise.all((await kept.list()).map(({ token }) => kept.find(token)));
  const seed = known.filter((order) => order !== undefined).map(({ token, body }) => ({ token, data: body }));
  return seed.length > 0 ? seed : sampleDrafts().length;
}

function makeClient(options: {
  readonly baseUrl: string;
  readonly apiKey: string;
}): OrdersClient<DeskUpdate> {
  try {
    return createOrdersClient({ ...options, schema: DeskUpdate });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BootProblem(error.message, { cause: error });
  }
}
