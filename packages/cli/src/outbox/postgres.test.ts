import { expect } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { onPostgres, step, until } from '../../../outbox/test/scene.ts';
import { readMetrics } from '../../test/read-metrics.ts';
import { runHere, startHere } from '../../test/run-here.ts';

onPostgres('finds no outbox until migrate has made it, and leaves it as it is afterwards', async (scene) => {
  const { postgres, newSchema: schema, open, token } = scene;
  const env = { DATABASE_URL: postgres.connectionString };
  const run = (...words: readonly string[]) =>
    runHere(['outbox', ...words, '--database-schema', schema], { env });
  expect(await run('status')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      `not_migrated: The schema ${schema} has no tables.*run "orders outbox migrate --database-schema ${schema}"`,
    ),
  });
  const { stdout } = await run('migrate');
  expect(stdout).toMatch(
    /^The tables in schema scene_\d+ of PostgreSQL at \S+, database postgres are up to date\.\n/,
  );
  expect(stdout).toContain(`  grant usage on schema "${schema}", "${schema}_queue" to "its_role";\n`);
  await (await open()).enqueue(token, step(1));
  expect(JSON.parse((await run('migrate', '--json')).stdout)).toMatchObject({ databaseSchema: schema });
  const status = await run('status', '--json');
  expect(status.code).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({ updates: { queued: 1 }, orders: { waiting: 1 } });
  await using watching = startHere(['outbox', 'status', '--watch', '--database-schema', schema], { env });
  await watching.printed(/queued +1\b/);
});

onPostgres(
  'lists what waits for a decision, page by page, up to a limit',
  async ({ open, postgres, service, sql, schema }) => {
    const outbox = await open();
    const env = { DATABASE_URL: postgres.connectionString };
    const [first, second, third] = service.orders;
    for (const order of [first, second])
      service.faults.next({ type: 'status', status: 400 }, { token: order?.token ?? '' });
    service.faults.next({ type: 'status', status: 500 }, { token: third?.token ?? '' });
    const ids: string[] = [];
    for (const order of [first, second, third]) ids.push(await outbox.enqueue(order?.token ?? '', step(1)));
    await outbox.drain();
    const list = async (line: string) =>
      (await runHere(['outbox', 'list', '--database-schema', schema, ...line.split(' ')], { env })).stdout;
    const unknown = JSON.parse(await list('--needs-review --json'));
    expect(unknown).toMatchObject([{ id: ids[2], state: 'needs_review', code: 'http_error', status: 500 }]);
    const two = await list('--limit 2');
    expect(two).toContain(ids[0]);
    expect(two).toContain(ids[1]);
    expect(two).not.toContain(ids[2]);
    expect(two).toMatch(/These are the oldest 2; --limit shows more\.\n$/);
    expect(await list('--limit 3')).not.toContain('--limit');
    expect(await list('--code timeout')).toBe('No such update or event waits for a decision.\n');
    expect(await list('--code timeout --json')).toBe('[]\n');
    const copies = `insert into ${schema}.updates (id, token, position, accepted_position, state, open, needs_decision)
    select gen_random_uuid(), 'copies', n, n, 'rejected', false, true from generate_series(1, 600) as n`;
    await sql.query(copies);
    const all: { id: string }[] = JSON.parse(await list('--json'));
    expect(all.slice(0, 3).map(({ id }) => id)).toEqual(ids);
    expect(new Set(all.map(({ id }) => id)).size).toBe(603);
    expect(all).toHaveLength(603);
  },
);

onPostgres(
  'health and metrics show that the database is away, and the worker goes on when it is back',
  async (scene) => {
    const { open, postgres, newSchema: schema, service, token } = scene;
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

    // Its log for people.
    const plainly = words('0').filter((word) => word !== '--json');
    await using plain = startHere(plainly, { env });
    await plain.printed(/ started store="PostgreSQL at .+" target=http:\S+/);
    plain.signal('SIGINT');
    const log = (await plain.ended).stdout;
    expect(log).toMatch(/ stopping signal=SIGINT graceMs=400\n/);
    for (const secret of [testPassword, service.key]) expect(log).not.toContain(secret);
  },
  { isAlone: true },
);
