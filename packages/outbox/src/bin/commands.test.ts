import { expect } from 'vitest';
import { inFolder } from '../../test/bin/in-folder.ts';
import { keepTerminal } from '../../test/bin/keep-terminal.ts';
import { onPglite, onPostgres, step, until } from '../../test/scene.ts';
import type { Outbox } from '../index.ts';
import { type GivenCommand, parseArguments } from './arguments.ts';
import { runCommand, runMigrate } from './commands.ts';
import { connectToWorker, type Operations, openOperations, serveOperations } from './operations.ts';

const databaseSchema = 'orders_outbox';
const operationsOf = (outbox: Outbox): Operations => ({ ...outbox, place: 'here', isExclusive: false });
const given = (line: string, folder = 'here'): GivenCommand =>
  parseArguments([...line.split(' '), '--folder', folder], {}, '') as GivenCommand;

onPglite('retries all that a wrong key had refused by one command, and nothing else', async (scene) => {
  const { open, service } = scene;
  const outbox = await open();
  const [invalid, ...refused] = service.orders.slice(0, 5);
  service.faults.next({ type: 'status', status: 400 }, { token: invalid?.token ?? '' });
  await outbox.start();
  // One after the other: refusals of the key in a row would open the circuit breaker.
  const ids: string[] = [];
  for (const { token } of refused) {
    service.faults.next({ type: 'status', status: 401 }, { token });
    ids.push(await outbox.enqueue(token, step(1)));
    await scene.reaches(outbox, ids.at(-1) ?? '', 'rejected');
    const fine = await outbox.enqueue(service.orders.at(-1)?.token ?? '', step(1));
    await scene.reaches(outbox, fine, 'applied');
  }
  await scene.reaches(outbox, await outbox.enqueue(invalid?.token ?? '', step(1)), 'rejected');
  const terminal = keepTerminal();
  expect(await runCommand(operationsOf(outbox), given('retry --all --rejected --code 401'), terminal)).toBe(
    true,
  );
  expect(terminal.lines.at(-1)).toBe('Updates queued again: 4.');
  for (const id of ids) await scene.reaches(outbox, id, 'applied');
  expect(await outbox.counts()).toMatchObject({ rejected: 1 });
});

onPglite('does what it can, and names each that it cannot', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next({ type: 'status', status: 400 }, { token });
  const rejected = await outbox.enqueue(token, step(1));
  await outbox.drain();
  const terminal = keepTerminal();
  const operations = operationsOf(outbox);
  expect(await runCommand(operations, given(`discard missing ${rejected} --note gone`), terminal)).toBe(
    false,
  );
  expect(terminal.lines).toEqual([`${rejected} of order ${token} is discarded.`]);
  expect(terminal.errors).toEqual(['unknown_update: There is no update missing in this outbox.']);
  expect(await outbox.get(rejected)).toMatchObject({ decision: { note: 'gone' } });
  expect(await runCommand(operations, given(`retry ${rejected} --json`), terminal)).toBe(false);
  expect(JSON.parse(terminal.lines[1] ?? '')).toEqual({
    retry: [],
    failed: [{ id: rejected, code: 'nothing_to_decide', message: expect.stringContaining('is discarded') }],
  });
});

onPglite('discards all only when a person confirms it, or with --yes', async ({ open, service }) => {
  const outbox = await open();
  const operations = operationsOf(outbox);
  for (const { token } of service.orders.slice(0, 3)) {
    service.faults.next({ type: 'status', status: 400 }, { token });
    await outbox.enqueue(token, step(1));
  }
  await outbox.drain();
  const questions: string[] = [];
  const saying = (isSure: boolean) =>
    keepTerminal(async (question) => {
      questions.push(question);
      return isSure;
    });
  const all = given('discard --all');
  await expect(runCommand(operations, all, keepTerminal())).rejects.toMatchObject({ exitCode: 2 });
  await expect(runCommand(operations, all, saying(false))).rejects.toThrow('Nothing was discarded.');
  expect(await outbox.counts()).toMatchObject({ rejected: 3 });
  expect(await runCommand(operations, all, saying(true))).toBe(true);
  expect(questions).toEqual(Array(2).fill('Discard 3 updates for good? Write yes: '));
  expect(await outbox.counts()).toMatchObject({ rejected: 0, discarded: 3 });
  expect(await runCommand(operations, given('discard --all --yes'), keepTerminal())).toBe(true);
});

onPglite(
  'lists what waits for a decision, page by page, up to a limit',
  async ({ open, service, sql, schema }) => {
    const outbox = await open();
    const [first, second, third] = service.orders;
    for (const order of [first, second])
      service.faults.next({ type: 'status', status: 400 }, { token: order?.token ?? '' });
    service.faults.next({ type: 'status', status: 500 }, { token: third?.token ?? '' });
    const ids: string[] = [];
    for (const order of [first, second, third]) ids.push(await outbox.enqueue(order?.token ?? '', step(1)));
    await outbox.drain();
    const list = async (line: string) => {
      const terminal = keepTerminal();
      await runCommand(operationsOf(outbox), given(line), terminal);
      return terminal.lines.join('\n');
    };
    const unknown = JSON.parse(await list('list --needs-review --json'));
    expect(unknown).toMatchObject([{ id: ids[2], state: 'needs_review', code: 'http_error', status: 500 }]);
    const two = await list('list --limit 2');
    expect(two).toContain(ids[0]);
    expect(two).toContain(ids[1]);
    expect(two).not.toContain(ids[2]);
    expect(two).toMatch(/These are the oldest 2; --limit shows more\.$/);
    expect(await list('list --limit 3')).not.toContain('--limit');
    expect(await list('list --code timeout')).toBe('No such update waits for a decision.');
    expect(await list('list --code timeout --json')).toBe('[]');
    const copies = `insert into ${schema}.updates (id, token, position, accepted_position, state, open, needs_decision)
    select gen_random_uuid(), 'copies', n, n, 'rejected', false, true from generate_series(1, 1100) as n`;
    await sql.query(copies);
    const all: { id: string }[] = JSON.parse(await list('list --json'));
    expect(all.slice(0, 3).map(({ id }) => id)).toEqual(ids);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_103);
    expect(all).toHaveLength(1_103);
  },
);

onPglite('shows a body without what may be a secret', async ({ open, token }) => {
  const outbox = await open();
  const hooks = { webhook_url: 'https://shop.example/hooks/sekret' };
  const id = await outbox.enqueue(token, { ...step(7), hooks });
  for (const line of [`show ${id}`, `show ${id} --json`]) {
    const terminal = keepTerminal();
    await runCommand(operationsOf(outbox), given(line), terminal);
    expect(terminal.lines.join('\n')).toMatch(/"quantity": ?7/);
    expect(terminal.lines.join('\n')).toContain('"https://shop.example/…"');
    expect(terminal.lines.join('\n')).not.toContain('sekret');
  }
});

onPglite('status --watch follows a worker, and finds the next one when it has ended', async (scene) => {
  const { open, token, service } = scene;
  await inFolder(async (folder) => {
    const outbox = await open();
    const stopServing = await serveOperations({ folder, databaseSchema }, outbox);
    const remote = await connectToWorker({ folder, databaseSchema });
    if (!remote) throw new Error('There is no response.');
    const terminal = keepTerminal();
    const text = () => terminal.lines.join('\n');
    const watching = runCommand(remote, given('status --watch', folder), terminal);
    await until('nothing is queued', () => /queued +0\b/.test(text()));
    await outbox.enqueue(token, step(1));
    await until('one is queued', () => /queued +1\b/.test(text()));
    expect(text()).toContain('No worker is running.');
    await stopServing();
    await until('it does not respond', () => /did not respond.*Last seen at/.test(text()));
    await until('it is gone', () => /No worker is running\. Last seen at/.test(text()));
    expect(text()).toMatch(/queued +1\b/);
    service.faults.next({ type: 'status', status: 400 }, { token });
    await outbox.start();
    await outbox.drain();
    const stopAgain = await serveOperations({ folder, databaseSchema }, outbox);
    await until('the next one responds', () => /rejected +1\b/.test(text()) && !/No worker/.test(text()));
    terminal.end();
    expect(await watching).toBe(true);
    await stopAgain();
  });
});

onPglite('status --watch leaves a folder without a worker to the next one', async ({ open }) => {
  await inFolder(async (folder) => {
    const outbox = await open();
    let isOpen = true;
    const close = async (): Promise<void> => {
      isOpen = false;
    };
    const terminal = keepTerminal();
    const operations = { ...operationsOf(outbox), isExclusive: true, close };
    const watching = runCommand(operations, given('status --watch --json', folder), terminal);
    await until('it looked', () => terminal.lines.length > 0);
    expect(isOpen).toBe(false);
    expect(JSON.parse(terminal.lines[0] ?? '')).toMatchObject({
      place: 'here',
      updates: { queued: 0 },
      note: expect.stringMatching(/^No worker is running\. Last seen at /),
    });
    terminal.end();
    await watching;
  });
});

onPostgres('finds no outbox until migrate has made it, and leaves it as it is afterwards', async (scene) => {
  const { postgres, schema, open, token } = scene;
  const place = { connectionString: postgres.connectionString, databaseSchema: schema };
  const { options } = given('migrate');
  await expect(openOperations(place)).rejects.toMatchObject({
    code: 'not_migrated',
    message: expect.stringContaining(`The schema ${schema} has no tables`),
  });
  const terminal = keepTerminal();
  await runMigrate(place, options, terminal);
  expect(terminal.lines[0]).toMatch(
    /^The tables in schema scene_\d+ of PostgreSQL at \S+, database postgres are up to date\.$/,
  );
  expect(terminal.lines).toContain(`  grant usage on schema ${schema}, ${schema}_queue to its_role;`);
  await (await open()).enqueue(token, step(1));
  await runMigrate(place, { ...options, json: true }, terminal);
  expect(JSON.parse(terminal.lines.at(-1) ?? '')).toMatchObject({ databaseSchema: schema });
  const operations = await openOperations(place);
  expect(await operations.status()).toMatchObject({ updates: { queued: 1 }, orders: { waiting: 1 } });
  await operations.close();
});
