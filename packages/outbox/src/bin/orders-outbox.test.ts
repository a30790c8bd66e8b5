import { existsSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareFolder } from '../../test/bin/prepare-folder.ts';
import { readMetrics } from '../../test/bin/read-metrics.ts';
import { type RunningBin, runOutboxBin } from '../../test/bin/run-outbox-bin.ts';
import { stepsApplied, until } from '../../test/scene.ts';

// Windows ends a process at once: there is no signal that it could hear.
const hasSignals = process.platform !== 'win32';
const key = 'sk_live_4f1b9c';
const encodedKey = Buffer.from(`${key}:`).toString('base64');

async function run(words: readonly string[], env?: Record<string, string>) {
  await using bin = runOutboxBin(words, env);
  return await bin.ended;
}

// One process at work is looked at from all sides: starting it costs more than all that is asked of it.
describe.runIf(hasSignals)('beside a process at work on a folder', { timeout: 60_000 }, () => {
  let service: MockOrderService;
  let folder: string;
  let work: RunningBin;
  let observe: string;
  let tokens: readonly string[];
  /** Of updates that are applied (two), parked, and rejected (three). */
  let ids: readonly string[];
  const said: string[] = [];

  const workOn = (...words: string[]): RunningBin =>
    runOutboxBin(['work', '--folder', folder, ...words], {
      ORDERS_API_KEY: key,
      ORDERS_BASE_URL: service.url,
    });
  const ask = async (...words: string[]) => {
    const { code, stdout, stderr } = await run([...words, '--folder', folder]);
    said.push(stdout, stderr);
    return { code, stdout, stderr };
  };
  /** Has an update sent again, and waits until the service has it and says nothing. */
  const stall = async (token: string, id: string) => {
    const before = service.requests({ token }).length;
    service.faults.next({ type: 'stalled_headers' }, { token });
    expect(await ask('retry', id)).toMatchObject({ code: 0 });
    await until('it is being sent', () => service.requests({ token }).length > before);
  };
  const get = async (path: string, method = 'GET') => {
    const answer = await fetch(`${observe}${path}`, { method });
    const text = await answer.text();
    said.push(text);
    return { status: answer.status, text, type: answer.headers.get('content-type') };
  };

  beforeAll(async () => {
    service = await startMockOrderService({ orders: 6, keys: [key] });
    tokens = service.orders.map(({ token }) => token);
    folder = await mkdtemp(join(tmpdir(), 'orders-outbox-bin-'));
    ids = await prepareFolder(folder, service, tokens);
    const [, , parked = '', rejected = '', refused = '', conflicting = ''] = tokens;
    const body = JSON.stringify({ error: { code: key, message: `${key} ${encodedKey} \u001b[31m` } });
    const headers = { 'x-key': key };
    service.faults.next({ type: 'status', status: 500, body, headers }, { token: parked });
    service.faults.next({ type: 'status', status: 400, body, headers }, { token: rejected });
    service.faults.next({ type: 'status', status: 401, body, headers }, { token: refused });
    service.faults.next({ type: 'status', status: 409 }, { token: conflicting });
    work = workOn('--port', '0', '--grace', '0.5', '--json');
    const log = await work.printed(/(.*"(parked|rejected)".*\n[\s\S]*){4}/);
    observe = JSON.parse(log.split('\n')[0] ?? '').observe;
    await until('all have ended', async () =>
      (await get('/metrics')).text.includes('applied",code="none"} 2'),
    );
  }, 60_000);

  afterAll(async () => {
    await work?.[Symbol.asyncDispose]();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('it tells where it works, where to it sends, and what waits', async () => {
    const lines = (await work.printed(/./))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ level: 'info', event: 'working', place: folder, to: service.url });
    const waits = lines.slice(1).map(({ event, id, order, code }) => ({ event, id, order, code }));
    expect(waits).toHaveLength(4);
    for (const [place, event] of [
      [2, 'parked'],
      [3, 'rejected'],
      [4, 'rejected'],
      [5, 'rejected'],
    ] as const) {
      expect(waits).toContainEqual({ event, id: ids[place], order: tokens[place], code: 'http_error' });
    }
  });

  test('it serves metrics that say how it stands', async () => {
    const { status, text, type } = await get('/metrics');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const series = readMetrics(text);
    const states = ['queued', 'sending', 'parked', 'rejected'].map((state) =>
      series.get(`orders_outbox_updates{state="${state}"}`),
    );
    expect(states).toEqual([0, 0, 1, 3]);
    expect(series.get('orders_outbox_lanes{state="active"}')).toBe(0);
    expect(series.get('orders_outbox_lanes{state="held"}')).toBe(1);
    expect(series.get('orders_outbox_database_up')).toBe(1);
    expect(series.get('orders_outbox_results_total{state="rejected",code="http_error"}')).toBe(3);
    expect(series.get('orders_outbox_time_to_apply_seconds_count')).toBe(2);
    expect(series.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    for (const word of [...ids, ...tokens]) expect(text).not.toContain(word);
  });

  test('it is alive and ready, and nothing else can be asked of that port', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'alive\n' });
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    expect(await get('/')).toMatchObject({ status: 404 });
    expect(await get('/metrics', 'POST')).toMatchObject({ status: 404 });
  });

  test('status and dead ask it, in plain text and in JSON', async () => {
    const [table, json, dead, listed, shown] = await Promise.all([
      ask('status'),
      ask('status', '--json'),
      ask('dead', '--rejected', '--code', '401', '--json'),
      ask('dead'),
      ask('history', tokens[0] ?? ''),
    ]);
    for (const each of [table, json, dead, listed, shown])
      expect(each).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(/updates rejected +│ +3 /);
    expect(JSON.parse(json.stdout)).toMatchObject({ place: folder, sending: 0, parked: 1, rejected: 3 });
    expect(JSON.parse(dead.stdout)).toMatchObject([
      { id: ids[4], token: tokens[4], state: 'rejected', status: 401 },
    ]);
    expect(listed.stdout.match(/^[0-9a-f-]{36} (parked|rejected) since/gm)).toHaveLength(4);
    expect(shown.stdout).toMatch(/applied +│/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey is what must not be there
    for (const { stdout } of [table, listed, shown]) expect(stdout).not.toMatch(/\u001b/);
  });

  test('status ends when its reader leaves, and tells of output that could not be written', async () => {
    await using watching = runOutboxBin(['status', '--json', '--watch', '--folder', folder]);
    await watching.printed(/}\n/);
    watching.child.stdout?.destroy();
    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
    if (process.platform !== 'linux') return;
    await using full = runOutboxBin(['dead', '--json', '--folder', folder], {}, openSync('/dev/full', 'w'));
    expect(await full.ended).toMatchObject({ code: 1 });
  });

  test('a second process cannot work on the folder', async () => {
    await using second = workOn();
    const { code, stdout, stderr } = await second.ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^orders-outbox: folder_in_use: \S+ is in use by another "orders-outbox work": .*\n$/,
    );
    expect(await ask('migrate')).toMatchObject({ code: 0, stderr: '' });
  });

  test('retry and discard have it done', async () => {
    const [, , parked = ''] = ids;
    const retried = await ask('retry', parked, 'nobody');
    expect(retried).toMatchObject({
      code: 1,
      stdout: `${parked} of order ${tokens[2]} is queued again.\n`,
      stderr: 'orders-outbox: unknown_update: There is no update nobody in this outbox.\n',
    });
    await until('it is applied', () => stepsApplied(service, tokens[2] ?? '').length === 1);
    const discarded = await ask('discard', '--all', '--rejected', '--code', '401', '--json');
    expect(discarded).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(discarded.stdout)).toEqual({ discarded: [ids[4]], failed: [] });
  });

  test('it ends within its grace on SIGTERM, and parks what it could not end', async () => {
    await stall(tokens[5] ?? '', ids[5] ?? '');
    const begun = performance.now();
    work.child.kill('SIGTERM');
    const { code, stdout, stderr } = await work.ended;
    said.push(stdout);
    expect(performance.now() - begun).toBeLessThan(11_000);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ event }) => event === 'stopping')).toMatchObject({
      signal: 'SIGTERM',
      graceSeconds: 0.5,
    });
    expect(lines.at(-1)).toMatchObject({ event: 'stopped', applied: 3, rejected: 3, parked: 2 });
    await expect(stat(join(folder, 'worker.json'))).rejects.toThrow('ENOENT');
  });

  test('it ends at once on a second signal, and leaves an address that nobody takes for alive', async () => {
    const [, , , , , id = ''] = ids;
    const token = tokens[5] ?? '';
    await using again = workOn('--grace', '30', '--no-metrics');
    await again.printed(/working on \S+, sending to http:\S+\n/);
    const dead = await ask('dead', '--parked', '--json');
    expect(JSON.parse(dead.stdout)).toMatchObject([{ id, state: 'parked', code: 'aborted' }]);
    await stall(token, id);
    again.child.kill('SIGINT');
    await again.printed(/stopping on SIGINT: what is on its way has 30 s\n/);
    again.child.kill('SIGTERM');
    const { code, stdout } = await again.ended;
    said.push(stdout);
    expect(code).toBe(1);
    expect(await readdir(folder)).toContain('worker.json');
    const shown = await ask('show', id, '--json');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, token, state: 'sending' });
  });

  test('nothing that it said or left holds the key', async () => {
    expect(service.journal.filter(({ status }) => status === 500)).toHaveLength(1);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const kept = files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name)));
    const texts = [...said, ...(await Promise.all(kept)).map((bytes) => bytes.toString('latin1'))];
    expect(texts.some((text) => text.includes(tokens[0] ?? ''))).toBe(true);
    for (const text of texts) {
      expect(text.includes(key)).toBe(false);
      expect(text.includes(encodedKey)).toBe(false);
    }
  });
});

test.runIf(process.platform === 'linux')(
  'works on although nothing that it says can be written',
  { timeout: 30_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-bin-'));
    const words = ['work', '--folder', folder, '--base-url', 'http://127.0.0.1:1', '--no-metrics'];
    await using work = runOutboxBin(words, { ORDERS_API_KEY: key }, openSync('/dev/full', 'w'));
    await until('it works', () => existsSync(join(folder, 'worker.json')));
    // It has said so by then, or was ended by that.
    await delay(300);
    expect(await run(['status', '--json', '--folder', folder])).toMatchObject({ code: 0, stderr: '' });
    work.child.kill('SIGTERM');
    expect(await work.ended).toMatchObject({ code: 1 });
    expect(existsSync(join(folder, 'worker.json'))).toBe(false);
    await rm(folder, { recursive: true });
  },
);

test.each([
  [
    ['status'],
    { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none' },
    1,
    /database_unusable: PostgreSQL at 127\.0\.0\.1:1, database none cannot be used: /,
  ],
  [
    ['status'],
    { DATABASE_URL: 'postgres://me:hunter2/@[' },
    1,
    /DATABASE_URL: write postgres:\/\/user:password@host/,
  ],
  [
    ['work', '--base-url', 'http://far.example', '--folder', '.'],
    { ORDERS_API_KEY: 'hunter2' },
    2,
    /plain http would show the key/,
  ],
])(
  'tells of what is wrong with %j in one line',
  { timeout: 30_000 },
  async (words, env, exitCode, message) => {
    const { code, stdout, stderr } = await run(words, env as Record<string, string>);
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^orders-outbox: [^\n]+\n$/);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hunter2');
  },
);

test('prints its version', async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});
