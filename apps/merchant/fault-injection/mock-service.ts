import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { StartError } from '../server/database.ts';
import type { ConnectService } from '../server/start.ts';
import type { NewOrder } from '../server/stored-orders.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { type Faults, faultInjectionRoutes } from './routes.ts';
import { sampleOrders } from './sample-orders.ts';

/** How many entries the mock keeps of what happened. */
const historyLimit = 10_000;

/** Starts a mock order service in this process, with the stored orders, or with samples where there are none. */
export function mockService({ port = 0 }: { readonly port?: number } = {}): ConnectService & {
  /** The service, once it runs. */
  readonly service: () => MockOrderService<ShopUpdate>;
} {
  let running: MockOrderService<ShopUpdate> | undefined;
  const connect: ConnectService = async (readStored, webhookUrl) => {
    const stored = await readStored();
    const orders = stored.length > 0 ? stored : sampleOrders(webhookUrl);
    const service = await startMockOrderService({
      port,
      orders: orders.map(({ token, body }: NewOrder) => ({ token, data: body })),
      schema: ShopUpdate,
      historyLimit,
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new StartError(`port ${port} on 127.0.0.1 is taken; choose another with --service-port.`);
    });
    running = service;
    const faults: Faults = { setting: { scenario: 'healthy', percent: 100 } };
    return {
      baseUrl: service.url,
      apiKey: service.key,
      orders,
      faultInjection: (parts) => faultInjectionRoutes({ ...parts, service, faults }),
      faultScenario: () => faults.setting.scenario,
      close: service.close,
    };
  };
  return Object.assign(connect, {
    service: () => {
      if (running) return running;
      throw new Error('The mock service does not run yet.');
    },
  });
}
