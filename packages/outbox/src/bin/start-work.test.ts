import { expect } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { readMetrics } from '../../test/bin/read-metrics.ts';
import { writtenScreen } from '../../test/bin/written-screen.ts';
import { onPostgres, step, until } from '../../test/scene.ts';
import type { LogEntry } from './log-entry.ts';
import { openOperations } from './open-operations.ts';
import { migrateTables } from './run-migrate.ts';
import { startWork } from './start-work.ts';

const graceMs = 400;
const listen = { host: '127.0.0.1', port: 0 };

onPostgres(
  'tells by health and metrics that its database is away, and goes on when it is back',
  async (scene) => {
    const { open, postgres, schema, service, token } = scene;
    const accepting = await open();
    await accepting.enqueue(token, step(1));
    const told: LogEntry[] = [];
    const place = { where: { connectionString: postgres.connectionString }, schema };
    const sender = { baseUrl: service.url, apiKey: service.key, allowInsecureHttp: false };
    const settings = { sender, outbox: {}, graceMs, listen };
    const work = await startWork(place, settings, (entry) => void told.push(entry));
    const get = async (path: string) => {
      const answer = await fetch(`${work.observe}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    try {
      await accepting.drain();
      const taken = { ...settings, listen: { ...listen, port: Number(new URL(work.observe ?? '').port) } };
      await expect(startWork(place, taken, () => {})).rejects.toThrow('is taken; give another with --port.');
      expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
      await postgres.stop();
      try {
        const unready = await get('/readyz');
        expect(unready.status).toBe(503);
        expect(unready.text).toMatch(/^the database does not answer: [^\n]+\n$/);
        expect(await get('/healthz')).toEqual({ status: 200, text: 'alive\n' });
        const metrics = await get('/metrics');
        expect(metrics.status).toBe(200);
        const series = readMetrics(metrics.text);
        expect(series.get('orders_outbox_database_up')).toBe(0);
        expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(1);
        await until('a person was told', () => told.some(({ event }) => event === 'warning'));
      } finally {
        await postgres.start();
      }
      await until('it is ready', async () => (await get('/readyz')).status === 200);
      expect(readMetrics((await get('/metrics')).text).get('orders_outbox_database_up')).toBe(1);
      const again = await until('it is accepted', () =>
        accepting.enqueue(token, step(2)).catch(() => undefined),
      );
      await scene.reaches(accepting, again, 'applied');
      service.faults.next({ type: 'stalled_headers' });
      await scene.reaches(accepting, await accepting.enqueue(token, step(3)), 'sending');
      const stopping = work.stop('SIGTERM');
      expect(await get('/readyz')).toEqual({ status: 503, text: 'it is stopping\n' });
      expect((await get('/metrics')).status).toBe(200);
      await stopping;
    } finally {
      await work.stop('SIGTERM');
    }
    await expect(get('/healthz')).rejects.toThrow();
    expect(told[0]).toMatchObject({ event: 'working', to: service.url, observe: work.observe });
    expect(told.at(-1)).toMatchObject({ event: 'stopped', applied: 2, parked: 1 });
    expect(JSON.stringify(told)).not.toContain(testPassword);
  },
);

onPostgres('finds no outbox until migrate has made it, and leaves it as it is afterwards', async (scene) => {
  const { postgres, schema, open, token } = scene;
  const place = { where: { connectionString: postgres.connectionString }, schema };
  const screen = writtenScreen();
  await expect(openOperations(place, screen.complain)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^There is no outbox in schema .*"orders-outbox migrate" makes one\.$/),
  });
  await migrateTables(place, false, screen);
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  await migrateTables(place, false, screen);
  await migrateTables(place, true, screen);
  const [made, same, json] = screen.printed;
  expect(made).toMatch(
    /^Made the tables in schema scene_\d+ of PostgreSQL at \S+, database postgres, version \d+\.\n$/,
  );
  expect(same).toMatch(/^The tables .* are up to date, version \d+\.\n$/);
  const { from, to } = JSON.parse(json ?? '');
  expect([typeof from, from]).toEqual(['number', to]);
  const operations = await openOperations(place, screen.complain);
  expect(await operations.backlog()).toMatchObject({ queued: 1, lanes: { waiting: 1 } });
  await operations.close();
  expect(screen.complaints).toEqual([]);
});
