import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { inFolder } from '../../test/bin/in-folder.ts';
import { readMetrics } from '../../test/bin/read-metrics.ts';
import { onPostgres, step, until } from '../../test/scene.ts';
import { type GivenCommand, parseArguments } from './arguments.ts';
import { formatLogEntry, type LogEntry, loadClient, shared, startWorker } from './start.ts';

onPostgres(
  'health and metrics show that the database is away, and the worker goes on when it is back',
  async (scene) => {
    const { open, postgres, schema, service, token } = scene;
    const accepting = await open();
    await accepting.enqueue(token, step(1));
    const entries: LogEntry[] = [];
    const env = { DATABASE_URL: postgres.connectionString, ORDERS_API_KEY: service.key };
    const words = ['start', '--base-url', service.url, '--grace', '400ms', '--database-schema', schema];
    const given = (port: string) =>
      parseArguments([...words, '--metrics-port', port], env, '') as GivenCommand;
    const stop = await startWorker(given('0'), env, (entry) => void entries.push(entry));
    const metrics = entries.at(-1)?.['metrics'];
    const get = async (path: string) => {
      const response = await fetch(`${metrics}${path}`);
      return { status: response.status, text: await response.text() };
    };
    await until('it is applied', async () => (await accepting.counts()).applied === 1);
    const { port } = new URL(String(metrics));
    await expect(startWorker(given(port), env, () => {})).rejects.toThrow(
      / is in use: choose another with --metrics-port/,
    );
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
    await postgres.stop();
    try {
      const unready = await get('/readyz');
      expect(unready.status).toBe(503);
      expect(unready.text).toMatch(/^the database does not respond: [^\n]+\n$/);
      expect(await get('/livez')).toEqual({ status: 200, text: 'alive\n' });
      const scraped = await get('/metrics');
      expect(scraped.status).toBe(200);
      const series = readMetrics(scraped.text);
      expect(series.get('orders_outbox_database_up')).toBe(0);
      expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(1);
      await until('it warns', () => entries.some(({ event }) => event === 'warning'));
    } finally {
      await postgres.start();
    }
    await until('it is ready', async () => (await get('/readyz')).status === 200);
    await until(
      'metrics are back',
      async () => readMetrics((await get('/metrics')).text).get('orders_outbox_database_up') === 1,
    );
    const again = await until('it is accepted', () =>
      accepting.enqueue(token, step(2)).catch(() => undefined),
    );
    await scene.reaches(accepting, again, 'applied');
    service.faults.next({ type: 'stalled_headers' }, { token });
    await scene.reaches(accepting, await accepting.enqueue(token, step(3)), 'sending');
    const stopping = stop('SIGTERM');
    expect(await get('/readyz')).toEqual({ status: 503, text: 'stopping\n' });
    await stopping;
    expect(entries.find(({ event }) => event === 'started')).toMatchObject({ target: service.url });
    expect(entries.at(-1)).toMatchObject({ event: 'stopped', applied: 2, needs_review: 1 });
    expect(JSON.stringify(entries)).not.toContain(testPassword);
  },
);

test('creates a client that sends to the base URL with the key', async () => {
  await using service = await startMockOrderService();
  const { client, target } = await loadClient({ baseUrl: service.url }, { ORDERS_API_KEY: service.key });
  expect(await client.safeUpdateOrder(service.token, { cart: {} })).toMatchObject({ ok: true });
  expect(target).toBe(service.url);
});

test.each([
  ['nowhere', 'x', /--base-url: write the full URL, such as "https:\/\/api\.example\.com"/],
  ['http://api.example.com', 'sekret', /--allow-insecure-http/],
  ['https://me:sekret@api.example.com', 'x', /ORDERS_API_KEY/],
  ['https://api.example.com', 'sekret:', /holds a colon/],
])(
  'reports what is wrong with base URL %j and key %j by the names of the flags',
  async (baseUrl, key, message) => {
    const error = await loadClient({ baseUrl }, { ORDERS_API_KEY: key }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      name: 'CommandError',
      exitCode: 2,
      message: expect.stringMatching(message),
    });
    expect((error as Error).message).not.toContain('sekret');
  },
);

test('takes the client that a module exports, and reports what one lacks', async () => {
  await inFolder(async (folder) => {
    const load = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return loadClient({ client: join(folder, name) }, {});
    };
    const client = '{ prepareUpdateOrder() {}, safeUpdateOrder: () => 7, echo() {} }';
    const loaded = await load('good.mjs', `export const client = ${client};`);
    expect(loaded.client.safeUpdateOrder('ord_1', { cart: {} })).toBe(7);
    expect(loaded.target).toBe(join(folder, 'good.mjs'));
    await expect(load('bad.mjs', 'export const client = { echo() {} };')).rejects.toThrow(
      /by the name "client"/,
    );
    await expect(load('none.mjs', '')).rejects.toThrow(/by the name "client"/);
    await expect(loadClient({ client: join(folder, 'missing.mjs') }, {})).rejects.toThrow(
      /missing\.mjs cannot be loaded: it threw Error \(ERR_MODULE_NOT_FOUND\)\./,
    );
  });
});

test.each<[LogEntry, string, string]>([
  [
    { event: 'started', store: 'PostgreSQL at db:5432', target: './own.js', metrics: undefined },
    'info',
    'started store="PostgreSQL at db:5432" target=./own.js',
  ],
  [{ event: 'warning', message: 'the\ndatabase' }, 'warn', String.raw`warning message="the\ndatabase"`],
  [
    { event: 'rejected', id: 'an-id', token: 'ord_1', code: 'http_error', status: 401 },
    'warn',
    'rejected id=an-id token=ord_1 code=http_error status=401',
  ],
])('logs %j in one line', (entry, level, text) => {
  const at = new Date('2026-11-21T12:00:00Z');
  expect(formatLogEntry(entry, at, false)).toBe(`2026-11-21T12:00:00.000Z ${text}`);
  const line = formatLogEntry(entry, at, true);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ time: at, level, ...entry })));
});

test('those who call at one time share one call, which may hang', async () => {
  const calls: PromiseWithResolvers<number>[] = [];
  const read = shared(() => {
    calls.push(Promise.withResolvers());
    return calls.at(-1)?.promise as Promise<number>;
  }, 30);
  await expect(Promise.all([read(), read()])).rejects.toThrow('no response within 0.03 s');
  await expect(read()).rejects.toThrow('no response');
  expect(calls).toHaveLength(1);
  const late = read();
  calls[0]?.resolve(7);
  expect(await late).toBe(7);
  void read().catch(() => {});
  expect(calls).toHaveLength(2);
});
