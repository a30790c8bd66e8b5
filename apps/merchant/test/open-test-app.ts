import { PGlite } from '@electric-sql/pglite';
import { type OutboxStore, postgresStore } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import type { MockOrderService } from '@orders/testing';
import { inject } from 'vitest';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { mockService } from '../fault-injection/mock-service.ts';
import type { Log } from '../server/errors.ts';
import {
  type ConnectService,
  type MerchantApp,
  type StartOptions,
  startMerchantApp,
} from '../server/start.ts';
import type { NewOrder } from '../server/stored-orders.ts';
import type { ShopUpdate } from '../shared/order-update.ts';
import { createDatabase } from './open-test-postgres.ts';
import { tables } from './share-postgres.ts';

/** The whole app on free ports, with a mock service in this process and a database of its own. */
export interface TestApp extends MerchantApp, AsyncDisposable {
  readonly mock: MockOrderService<ShopUpdate>;
  readonly logged: Parameters<Log>[0][];
  /** Calls the API as the page does; a body is sent as JSON. */
  call(path: string, body?: unknown, init?: RequestInit): Promise<TestResponse>;
}

interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it reads
  readonly body: any;
}

export interface TestAppOptions extends Partial<Omit<StartOptions, 'connect' | 'log'>> {
  /** The orders of the mock service. @default those of the sample orders */
  readonly orders?: readonly NewOrder[];
  /** Another order service. @default the mock */
  readonly connect?: ConnectService;
}

/** Starts the app. The first body of each order carries its webhook URL, as the samples do. */
export async function openTestApp({ orders, ...options }: TestAppOptions = {}): Promise<TestApp> {
  const logged: Parameters<Log>[0][] = [];
  const mock = mockService();
  const connect: ConnectService = async (readStored, webhookUrl) => {
    const stored = await readStored();
    return mock(async () => (stored.length > 0 || !orders ? stored : orders), webhookUrl);
  };
  const data = options.data ?? (await openTestStore());
  const app = await startMerchantApp({ connect, log: (entry) => logged.push(entry), ...options, data });
  return {
    ...app,
    get mock() {
      return mock.service();
    },
    logged,
    async call(path, body, init = {}) {
      const json = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...init.headers };
      const response = await fetch(app.url + path, { ...json, ...init, headers });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
    [Symbol.asyncDispose]: app.close,
  };
}

/** A database with the tables of the app, that is closed with the app: on PGlite, starting one takes twice as long. */
export async function openTestStore(): Promise<OutboxStore> {
  if (inject('postgres')) return postgresStore({ connectionString: await createDatabase(tables) });
  const database = await makePglite(PGlite, import.meta.url);
  return { ...(await pgliteStore(database)), close: () => database.close() };
}
