import { fileURLToPath } from 'node:url';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { buildOrderUpdate, startOrderService } from '@orders/testing';
import { createKnownOrders } from '../server/known-orders.ts';
import { startDesk } from '../server/start-desk.ts';
import { createUpdateSender, type SendUpdate } from '../server/update-sender.ts';
import { BootProblem, listening } from './boot-problem.ts';
import type { Settings } from './read-arguments.ts';
import { sampleDrafts } from './sample-drafts.ts';

/** Everything that runs, and the ways to use and to end it. */
export interface OpenDesk {
  readonly url: string;
  readonly service: { readonly url: string; readonly isOwn: boolean; readonly tokens: readonly string[] };
  readonly orders: OrdersClient;
  readonly sendUpdate: SendUpdate;
  /** Aborted when the desk ends. */
  readonly signal: AbortSignal;
  /** Ends the desk, then the client, then the own order service; further calls do nothing. */
  close(): Promise<void>;
}

/**
 * Starts the order service if it is to be the desk's own, the client, and the desk.
 *
 * @throws BootProblem when a port cannot be had, or the base URL or the key cannot be used; nothing is left running then.
 */
export async function openDesk({ host, port, service }: Settings): Promise<OpenDesk> {
  const { baseUrl, apiKey, tokens, closeService } = await reachService(service);
  const orders = createClient({ baseUrl, apiKey });
  const drafts = service.kind === 'own' ? sampleDrafts() : [];
  const knownOrders = createKnownOrders(
    tokens.map((token, index) => ({ token, draft: drafts[index] ?? buildOrderUpdate() })),
  );
  const ending = new AbortController();
  const sendUpdate = createUpdateSender({ orders, knownOrders, signal: ending.signal });
  const closeOutward = async () => {
    // The client waits for its calls, which may take longer than whoever pressed Ctrl-C does.
    ending.abort();
    await orders.close();
    await closeService();
  };
  try {
    const desk = await listening({ host, port, option: '--port' }, () =>
      startDesk({ host, port, knownOrders, sendUpdate, pageDirectory }),
    );
    return {
      url: desk.url,
      service: { url: baseUrl, isOwn: service.kind === 'own', tokens },
      orders,
      sendUpdate,
      signal: ending.signal,
      close: () => desk.close().then(closeOutward),
    };
  } catch (error) {
    await closeOutward();
    throw error;
  }
}

/** From the sources and from the build alike. */
const pageDirectory = fileURLToPath(new URL('../../dist/page/', import.meta.url));

async function reachService(service: Settings['service']) {
  if (service.kind === 'other') return { ...service, closeService: async () => {} };
  const target = { host: '127.0.0.1', port: service.port, option: '--service-port' } as const;
  const own = await listening(target, () => startOrderService({ ...target, orders: sampleDrafts().length }));
  return {
    baseUrl: own.url,
    apiKey: own.key,
    tokens: own.orders.map(({ token }) => token),
    closeService: () => own.close(),
  };
}

function createClient(options: { baseUrl: string; apiKey: string }): OrdersClient {
  try {
    return createOrdersClient(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BootProblem(error.message, { cause: error });
  }
}
