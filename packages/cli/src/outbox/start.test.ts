import { expect, test } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { onPostgres, step, until } from '../../../outbox/test/scene.ts';
import { readMetrics } from '../../test/read-metrics.ts';
import { runHere, startHere } from '../../test/run-here.ts';
import { formatLogEntry, type LogEntry, shared } from './start.ts';

onPostgres(
  'health and metrics show that the database is away, and the worker goes on when it is back',
  async (scene) => {
    const { open, postgres, schema, service, token } = scene;
    const accepting = await open();
    await accepting.enqueue(token, step(1));
    const env = { DATABASE_URL: postgres.connectionString, ORDERS_API_KEY: service.key };
    const words = (port: string): readonly string[] => [
      ...['outbox', 'start', '--base-url', service.url, '--grace', '400ms', '--json'],
      ...['--metrics-port', port, '--database-schema', schema],
    ];
    await using worker = startHere(words('0'), { env });
    const entriesOf = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const started = entriesOf(await worker.printed(/"started".*\n/)).at(-1);
    expect(started).toMatchObject({ event: 'started', target: service.url });
    const { metrics } = started;
    const get = async (path: string) => {
      const response = await fetch(`${metrics}${path}`);
      return { status: response.status, text: await response.text() };
    };
    await until('it is applied', async () => (await accepting.counts()).applied === 1);
    const { port } = new URL(metrics);
    expect(await runHere(words(port), { env })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(' is in use: choose another with --metrics-port'),
    });
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
      // What it cannot know.
      const unknown = /^orders_outbox_(updates|orders|oldest|pause|service)/;
      expect([...series.keys()].filter((name) => unknown.test(name))).toEqual([]);
      expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(1);
      await worker.printed(/"warning"/);
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
    worker.signal('SIGTERM');
    expect(await get('/readyz')).toEqual({ status: 503, text: 'stopping\n' });
    const { code, stdout } = await worker.ended;
    expect(code).toBe(0);
    expect(entriesOf(stdout).at(-1)).toMatchObject({ event: 'stopped', applied: 2, needs_review: 1 });
    expect(stdout).not.toContain(testPassword);
  },
);

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
