import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outbox } from '@orders/outbox';
import { expect, test } from 'vitest';
import { onPglite, onPostgres, step } from '../../../outbox/test/scene.ts';
import { type RunHereOptions, runHere, startHere } from '../../test/run-here.ts';
import { createFolder } from '../../test/run-orders.ts';
import { serveOperations } from './operations.ts';

const databaseSchema = 'orders_outbox';

/** Serves an outbox to commands, as a worker on a folder does. */
async function serve(outbox: Outbox) {
  const folder = await createFolder();
  await mkdir(join(folder.path, 'data'));
  const stop = await serveOperations({ folder: folder.path, databaseSchema }, outbox);
  return {
    folder: folder.path,
    run: (line: string, options?: RunHereOptions) =>
      runHere(['outbox', ...line.split(' '), '--folder', folder.path], options),
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

onPglite('does what it can, and names each that it cannot', async ({ open, service, token }) => {
  const outbox = await open();
  await using served = await serve(outbox);
  service.faults.next({ type: 'status', status: 400 }, { token });
  const rejected = await outbox.enqueue(token, step(1));
  await outbox.drain();
  const settled = await outbox.enqueue(token, step(2));
  await outbox.drain();
  const { code, stdout } = await served.run(`retry missing ${settled} ${rejected} ${rejected} --json`);
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    {
      retry: [rejected],
      failed: [
        { id: 'missing', code: 'unknown_update', message: expect.stringContaining('no update missing') },
        { id: settled, code: 'nothing_to_decide', message: expect.stringContaining('is applied') },
      ],
    },
  ]);
});

onPglite(
  '--all is done of all that match, and only when a person confirms it, or with --yes',
  async ({ open, service }) => {
    const outbox = await open();
    await using served = await serve(outbox);
    const ids: string[] = [];
    for (const [place, { token }] of service.orders.slice(0, 3).entries()) {
      service.faults.next({ type: 'status', status: place === 1 ? 500 : 400 }, { token });
      ids.push(await outbox.enqueue(token, step(1)));
    }
    await outbox.drain();
    const questions: string[] = [];
    const saying = (isSure: boolean): RunHereOptions => ({
      confirm: (question) => questions.push(question) > 0 && isSure,
    });
    for (const name of ['resolve', 'discard', 'retry']) {
      expect(await served.run(`${name} --all`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('Pass --yes'),
      });
      expect(await served.run(`${name} --all`, saying(false))).toMatchObject({
        code: 3,
        stderr: 'orders: Nothing was changed.\n',
      });
    }
    expect(questions).toEqual([
      'Note 3 updates as applied?',
      'Give up 3 updates for good?',
      'Send 3 updates again? Those that need review may be applied twice.',
    ]);
    expect(await outbox.counts()).toMatchObject({ rejected: 2, needs_review: 1 });
    const resolved = await served.run('resolve --all --needs-review --yes --by ada --json');
    expect(JSON.parse(resolved.stdout)).toEqual({ resolve: [ids[1]], failed: [] });
    expect(await outbox.get(ids[1] ?? '')).toMatchObject({ state: 'applied', decision: { by: 'ada' } });
    expect(await served.run('discard --all', saying(true))).toMatchObject({ code: 0 });
    expect(await outbox.counts()).toMatchObject({ rejected: 0, applied: 1, discarded: 2 });
    expect(await served.run('resolve --all')).toMatchObject({ code: 0, stdout: '0 updates applied.\n' });
  },
);

test.each([
  ['retry', 'Write the ids of updates, or --all. To see them: orders outbox list --folder none'],
  ['retry a --all', 'Write either ids or --all.'],
  ['discard a --code timeout', '--needs-review, --rejected and --code need --all.'],
  ['resolve', 'Write the ids of updates, or --all'],
  ['show', "missing required argument 'id'"],
  ['show a b', 'too many arguments'],
  ['list --limit 0', '--limit'],
  ['start --rate 0', 'Write a number above 0'],
  ['start --concurrency 1.5', 'whole number'],
  ['start --grace 10', 'such as 500ms, 30s, 5m, 2h or 7d.'],
  ['start --grace 25d', 'at most 24d'],
  ['start --keep-settled 40000d', 'at most 36500d'],
  ['start --on-unknown maybe', 'review, resend'],
  ['start --on-rejected maybe', 'continue, hold'],
  ['start --burst 3', '--burst needs --rate.'],
  ['start --no-metrics --metrics-port 1', 'cannot be used with'],
  ['start --metrics-port 65536', 'Write a whole number from 0 to 65535.'],
  ['start --database-url postgres://me:sekret@x/y', 'cannot be used with'],
  ['start', 'Where is the service? Set ORDERS_BASE_URL'],
  ['start --base-url http://localhost', 'Set ORDERS_API_KEY'],
])('refuses "outbox %s" in one line that shows no secret', async (line, message) => {
  const { code, stdout, stderr } = await runHere(['outbox', ...line.split(' '), '--folder', 'none']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^orders: [^\n]+\n$/);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('sekret');
});

onPglite(
  'lists what waits for a decision, page by page, up to a limit',
  async ({ open, service, sql, schema }) => {
    const outbox = await open();
    await using served = await serve(outbox);
    const [first, second, third] = service.orders;
    for (const order of [first, second])
      service.faults.next({ type: 'status', status: 400 }, { token: order?.token ?? '' });
    service.faults.next({ type: 'status', status: 500 }, { token: third?.token ?? '' });
    const ids: string[] = [];
    for (const order of [first, second, third]) ids.push(await outbox.enqueue(order?.token ?? '', step(1)));
    await outbox.drain();
    const list = async (line: string) => (await served.run(`list ${line}`)).stdout;
    const unknown = JSON.parse(await list('--needs-review --json'));
    expect(unknown).toMatchObject([{ id: ids[2], state: 'needs_review', code: 'http_error', status: 500 }]);
    const two = await list('--limit 2');
    expect(two).toContain(ids[0]);
    expect(two).toContain(ids[1]);
    expect(two).not.toContain(ids[2]);
    expect(two).toMatch(/These are the oldest 2; --limit shows more\.\n$/);
    expect(await list('--limit 3')).not.toContain('--limit');
    expect(await list('--code timeout')).toBe('No such update waits for a decision.\n');
    expect(await list('--code timeout --json')).toBe('[]\n');
    const copies = `insert into ${schema}.updates (id, token, position, accepted_position, state, open, needs_decision)
    select gen_random_uuid(), 'copies', n, n, 'rejected', false, true from generate_series(1, 1100) as n`;
    await sql.query(copies);
    const all: { id: string }[] = JSON.parse(await list('--json'));
    expect(all.slice(0, 3).map(({ id }) => id)).toEqual(ids);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_103);
    expect(all).toHaveLength(1_103);
  },
);

onPglite('shows a body without what may be a secret', async ({ open, token }) => {
  const outbox = await open();
  await using served = await serve(outbox);
  const hooks = { webhook_url: 'https://shop.example/hooks/sekret' };
  const id = await outbox.enqueue(token, { ...step(7), hooks });
  for (const line of [`show ${id}`, `show ${id} --json`]) {
    const { stdout } = await served.run(line);
    expect(stdout).toMatch(/"quantity": ?7/);
    expect(stdout).toContain('"https://shop.example/…"');
    expect(stdout).not.toContain('sekret');
  }
});

onPglite('status --watch follows a worker, and finds the next one when it has ended', async (scene) => {
  const { open, token, service } = scene;
  const outbox = await open();
  await using served = await serve(outbox);
  const { folder } = served;
  await using watching = startHere(['outbox', 'status', '--watch', '--folder', folder]);
  await watching.printed(/queued +0\b/);
  await outbox.enqueue(token, step(1));
  expect(await watching.printed(/queued +1\b/)).toContain('No worker is running.');
  await served[Symbol.asyncDispose]();
  await watching.printed(/did not respond[\s\S]*Last seen at/);
  await watching.printed(/No worker is running\. Last seen at/);
  service.faults.next({ type: 'status', status: 400 }, { token });
  await outbox.start();
  await outbox.drain();
  await mkdir(folder);
  const stopAgain = await serveOperations({ folder, databaseSchema }, outbox);
  await watching.printed(/rejected +1\b/);
  watching.signal('SIGINT');
  expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
  await stopAgain();
});

onPostgres('finds no outbox until migrate has made it, and leaves it as it is afterwards', async (scene) => {
  const { postgres, schema, open, token } = scene;
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
  expect(stdout).toContain(`  grant usage on schema ${schema}, ${schema}_queue to its_role;\n`);
  await (await open()).enqueue(token, step(1));
  expect(JSON.parse((await run('migrate', '--json')).stdout)).toMatchObject({ databaseSchema: schema });
  const status = await run('status', '--json');
  expect(status.code).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({ updates: { queued: 1 }, orders: { waiting: 1 } });
  await using watching = startHere(['outbox', 'status', '--watch', '--database-schema', schema], { env });
  await watching.printed(/queued +1\b/);
});
