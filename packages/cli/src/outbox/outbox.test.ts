import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { serialize } from 'node:v8';
import { createOutbox } from '@orders/outbox';
import { lockFolder, pgliteStore } from '@orders/outbox/pglite';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../../outbox/test/make-folder.ts';
import { step, stepsApplied, until } from '../../../outbox/test/scene.ts';
import { openFullDevice } from '../../test/open-full-device.ts';
import { readMetrics } from '../../test/read-metrics.ts';
import { type RunHereOptions, type RunningHere, runHere, startHere } from '../../test/run-here.ts';
import { startOrders } from '../../test/run-orders.ts';

// Windows ends a process at once: it can handle no signal.
const hasSignals = process.platform !== 'win32';
const key = 'sk_live_4f1b9c';
const encodedKey = Buffer.from(`${key}:`).toString('base64');
const hooks = { webhook_url: 'https://shop.example/hooks/sekret' };

/** The status of a response to a request with another Host. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

// One worker for all, since it costs more to start than to look at; each test begins where the one before ended.
describe.runIf(hasSignals)('beside a worker on a folder', () => {
  let service: MockOrderService;
  let folder: string;
  let worker: RunningHere;
  let metrics: string;
  let tokens: readonly string[];
  /** Of updates that are applied (two), need review (one), and are rejected (three). */
  let ids: readonly string[];
  let env: Readonly<Record<string, string>>;
  let start: readonly string[];
  const printed: string[] = [];

  const run = async (words: string, options?: RunHereOptions) => {
    const ended = await runHere(['outbox', ...words.split(' '), '--folder', folder], options);
    printed.push(ended.stdout, ended.stderr);
    return ended;
  };
  /** Sends an update again, to which the service does not respond, and waits until it has arrived. */
  const stall = async (token: string, id: string) => {
    const before = service.requests({ token }).length;
    service.faults.next({ type: 'stalled_headers' }, { token });
    expect(await run(`retry ${id}`)).toMatchObject({ code: 0 });
    await until('it is being sent', () => service.requests({ token }).length > before);
  };
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${metrics}${path}`, { method });
    const text = await response.text();
    printed.push(text);
    return { status: response.status, text, type: response.headers.get('content-type') };
  };

  beforeAll(async () => {
    service = await startMockOrderService({ orders: 6, keys: [key] });
    tokens = service.orders.map(({ token }) => token);
    folder = await mkdtemp(join(tmpdir(), 'orders-outbox-bin-'));
    await makeFolder(folder);
    const outbox = await createOutbox({ store: await pgliteStore(folder) });
    const accepted: string[] = [];
    for (const [place, token] of tokens.entries())
      accepted.push(await outbox.enqueue(token, { ...step(place), hooks }));
    ids = accepted;
    await outbox.close();
    const [, , unknown = '', rejected = '', refused = '', conflicting = ''] = tokens;
    const body = JSON.stringify({ error: { code: key, message: `${key} ${encodedKey} \u001b[31m` } });
    const headers = { 'x-key': key };
    service.faults.next({ type: 'status', status: 500, body, headers }, { token: unknown });
    service.faults.next({ type: 'status', status: 400, body, headers }, { token: rejected });
    service.faults.next({ type: 'status', status: 401, body, headers }, { token: refused });
    service.faults.next({ type: 'status', status: 409 }, { token: conflicting });
    env = { ORDERS_API_KEY: key };
    start = ['outbox', 'start', '--folder', folder, '--base-url', service.url];
    worker = startHere([...start, '--metrics-port', '0', '--grace', '500ms', '--json'], { env });
    const log = await worker.printed(/("event":"(needs_review|rejected)"[\s\S]*?){4}\n/);
    metrics = JSON.parse(log.split('\n').find((line) => line.includes('"started"')) ?? '').metrics;
    await until('all have ended', async () =>
      (await get('/metrics')).text.includes('applied",code="none"} 2'),
    );
  });

  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]();
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('it logs where it runs and sends to, and each update that waits for a person', async () => {
    const lines = (await worker.printed(/./))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ event }) => event === 'started')).toMatchObject({
      level: 'info',
      store: folder,
      target: service.url,
    });
    const waiting = lines
      .filter(({ level }) => level === 'warn')
      .map(({ event, id, token, code }) => ({ event, id, token, code }));
    expect(waiting).toHaveLength(4);
    for (const [place, event] of [
      [2, 'needs_review'],
      [3, 'rejected'],
      [4, 'rejected'],
      [5, 'rejected'],
    ] as const) {
      expect(waiting).toContainEqual({ event, id: ids[place], token: tokens[place], code: 'http_error' });
    }
  });

  test('it serves metrics of the backlog and the outcomes', async () => {
    const { status, text, type } = await get('/metrics');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const series = readMetrics(text);
    const states = ['queued', 'sending', 'needs_review', 'rejected'].map((state) =>
      series.get(`orders_outbox_updates{state="${state}"}`),
    );
    expect(states).toEqual([0, 0, 1, 3]);
    expect(series.get('orders_outbox_results_total{state="rejected",code="http_error"}')).toBe(3);
    expect(series.get('orders_outbox_time_to_apply_seconds_count')).toBe(2);
    expect(series.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    for (const word of [...ids, ...tokens]) expect(text).not.toContain(word);
  });

  test('it is alive and ready, and serves nothing else, and nothing by another name', async () => {
    expect(await get('/livez')).toMatchObject({ status: 200, text: 'alive\n' });
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    expect(await get('/')).toMatchObject({ status: 404 });
    expect(await get('/metrics', 'POST')).toMatchObject({ status: 404 });
    expect(await statusOf(`${metrics}/metrics`, 'rebound.example')).toBe(403);
    expect(await statusOf(`${metrics}/metrics`, 'localhost:80')).toBe(200);
  });

  test('the other commands ask it, in plain text and in JSON', async () => {
    const [table, json, rejected, listed, history] = await Promise.all([
      run('status'),
      run('status --json'),
      run('list --rejected --code 401 --json'),
      run('list'),
      run(`history ${tokens[0]}`),
    ]);
    // Updates wait for a decision, which is what status looks for.
    for (const each of [table, json]) expect(each).toMatchObject({ code: 1, stderr: '' });
    for (const each of [rejected, listed, history]) expect(each).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(/updates rejected +3 /);
    expect(table.stdout).toMatch(/\nTo decide: orders outbox list --folder \S+\n$/);
    const [, first = ''] = /^([0-9a-f-]{36}) /.exec(listed.stdout) ?? [];
    expect(listed.stdout).toContain(`\n  orders outbox resolve ${first} --folder ${folder}\n`);
    expect(JSON.parse(json.stdout)).toMatchObject({
      place: folder,
      updates: { sending: 0, needsReview: 1, rejected: 3 },
      service: { state: 'ok' },
      workers: [{ id: expect.any(String) }],
    });
    expect(JSON.parse(rejected.stdout)).toMatchObject([
      { id: ids[4], token: tokens[4], state: 'rejected', status: 401 },
    ]);
    expect(listed.stdout.match(/^[0-9a-f-]{36} {2}(needs_review|rejected), /gm)).toHaveLength(4);
    expect(history.stdout).toMatch(/ applied /);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys this character
    for (const { stdout } of [table, listed, history]) expect(stdout).not.toMatch(/\u001b/);
  });

  test('show prints the receipt, and the body without what may be a secret', async () => {
    const shown = await run(`show ${ids[2]}`);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('"quantity": 2\n');
    expect(shown.stdout).toMatch(/\n {2}attempt 1 +unknown \(500, http_error/);
    for (const { stdout } of [shown, await run(`show ${ids[2]} --json`)]) {
      expect(stdout).toContain('"https://shop.example/…"');
      expect(stdout).not.toContain('sekret');
    }
  });

  test('status ends when its reader leaves', async () => {
    const words = ['outbox', 'status', '--json', '--watch', '--folder', folder];
    await using watching = startOrders(words, { cwd: tmpdir() });
    await watching.printed(/}\n/);
    watching.child.stdout?.destroy();
    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('a second worker cannot start on the folder, and no command finds another schema', async () => {
    const { code, stdout, stderr } = await runHere(start, { env });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^orders: folder_locked: \S+ is in use by another "orders outbox start": .*\n$/);
    expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('status --database-schema other')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /in use by a worker on its schema orders_outbox\. Pass --database-schema orders_outbox\.\n$/,
      ),
    });
  });

  test('it does nothing without the secret, nor what commands do not need', async () => {
    const file = join(folder, 'worker.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { port, secret } = JSON.parse(await readFile(file, 'utf8'));
    const post = (authorization: string | undefined, body: unknown): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = authorization === undefined ? {} : { authorization };
        request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) =>
          resolve(response.resume().statusCode),
        )
          .once('error', reject)
          .end(Buffer.isBuffer(body) ? body : serialize(body));
      });
    const discard = { part: 'outbox', method: 'discard', args: [ids[5]] };
    for (const wrong of [undefined, `Bearer ${'x'.repeat(43)}`, `Bearer ${secret}`.slice(0, -1)])
      expect(await post(wrong, discard)).toBe(401);
    for (const body of [
      Buffer.from('{}'),
      undefined,
      {},
      { part: 'outbox', method: 'close', args: [] },
      { part: 'toString', method: 'call', args: [] },
    ])
      expect(await post(`Bearer ${secret}`, body)).toBe(400);
    expect(JSON.parse((await run(`show ${ids[5]} --json`)).stdout)).toMatchObject({ state: 'rejected' });
    expect(await post(`Bearer ${secret}`, { part: 'outbox', method: 'status', args: [] })).toBe(200);
  });

  test('--all is done of all that match, and only when a person confirms it, or with --yes', async () => {
    const questions: string[] = [];
    const saying = (isSure: boolean): RunHereOptions => ({
      confirm: (question) => questions.push(question) > 0 && isSure,
    });
    for (const name of ['resolve', 'discard', 'retry']) {
      expect(await run(`${name} --all`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('Pass --yes'),
      });
      expect(await run(`${name} --all`, saying(false))).toMatchObject({
        code: 3,
        stderr: 'orders: Nothing was changed.\n',
      });
    }
    expect(questions).toEqual([
      'Note 4 updates as applied?',
      'Give up 4 updates for good?',
      'Send 4 updates again? Those that need review may be applied twice.',
    ]);
    expect(JSON.parse((await run('status --json')).stdout).updates).toMatchObject({
      needsReview: 1,
      rejected: 3,
    });
    expect(await run('discard --all --code 401', saying(true))).toMatchObject({
      code: 0,
      stdout: `${ids[4]}  discarded  ${tokens[4]}\n1 update discarded.\n`,
    });
    const resolved = await run('resolve --all --rejected --code 400 --yes --by ada --note seen --json');
    expect(JSON.parse(resolved.stdout)).toEqual({ resolve: [ids[3]], failed: [] });
    expect(JSON.parse((await run(`show ${ids[3]} --json`)).stdout)).toMatchObject({
      state: 'applied',
      decision: { by: 'ada', note: 'seen' },
    });
    expect(await run('resolve --all --code timeout')).toMatchObject({
      code: 0,
      stdout: '0 updates applied.\n',
    });
  });

  test('it does what it can, and names each update that it cannot', async () => {
    const [settled, , unknown] = ids;
    const { code, stdout } = await run(`retry missing ${settled} ${unknown} ${unknown} --json`);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        retry: [unknown],
        failed: [
          {
            id: 'missing',
            code: 'unknown_update',
            message: expect.stringMatching(
              /^There is no update missing in this outbox\. .* --keep-settled or /,
            ),
          },
          { id: settled, code: 'nothing_to_decide', message: expect.stringContaining('is applied') },
        ],
      },
    ]);
    await until('it is applied', () => stepsApplied(service, tokens[2] ?? '').length === 1);
    expect(await run('resume')).toMatchObject({ code: 0, stdout: 'The pause has ended.\n' });
  });

  test('it stops within its grace, the next one ends at once on a second signal, and status follows', async () => {
    const [, , , , , id = ''] = ids;
    const token = tokens[5] ?? '';
    await using watching = startHere(['outbox', 'status', '--watch', '--json', '--folder', folder]);
    await watching.printed(/"rejected":1\b/);
    await stall(token, id);
    worker.signal('SIGTERM');
    const { code, stdout, stderr } = await worker.ended;
    printed.push(stdout);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ event }) => event === 'stopping')).toMatchObject({
      signal: 'SIGTERM',
      graceMs: 500,
    });
    expect(lines.at(-1)).toMatchObject({ event: 'stopped', applied: 3, rejected: 3, needs_review: 2 });
    await expect(stat(join(folder, 'worker.json'))).rejects.toThrow('ENOENT');
    await watching.printed(/"note":"No worker is running\. Last seen at/);

    // None of its log can be written, where there is a device for that.
    const words = [...start, '--grace', '30s', '--no-metrics'];
    const output = openFullDevice();
    await using again = startOrders(words, { cwd: tmpdir(), env, ...(output !== undefined && { output }) });
    // Without a note, since a worker runs again.
    await watching.printed(/"note":"No worker.*\n(?!.*"note").*"needsReview":1\b/);
    // A worker that a busy machine delays counts as running.
    again.child.kill('SIGSTOP');
    const listing = startHere(['outbox', 'list', '--needs-review', '--json', '--folder', folder]);
    await listing.printed(/^Waiting for /m, 'stderr');
    again.child.kill('SIGCONT');
    const listed = await listing.ended;
    printed.push(listed.stdout, listed.stderr);
    expect(listed.stderr).toBe('');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id, state: 'needs_review', code: 'aborted' }]);
    await stall(token, id);
    again.child.kill('SIGINT');
    again.child.kill('SIGTERM');
    expect(await again.ended).toMatchObject({ code: 3 });
    expect(await readdir(folder)).toContain('worker.json');
    await watching.printed(/"note":"No worker.*\n(?!.*"note").*"needsReview":1\b[\s\S]*did not respond/);
    watching.signal('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('beside a stale address, status --watch leaves the folder to the next worker', async () => {
    await using watching = startHere(['outbox', 'status', '--watch', '--json', '--folder', folder]);
    const [line = ''] = (await watching.printed(/\n/)).split('\n');
    expect(JSON.parse(line)).toMatchObject({
      place: folder,
      updates: { sending: 1 },
      note: expect.stringMatching(/^No worker is running\. Last seen at /),
    });
    await (await lockFolder(folder)).release();
  });

  test('nothing that it printed or stored holds the key', async () => {
    expect(service.journal.filter(({ status }) => status === 500)).toHaveLength(1);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    let hasToken = false;
    // One after another: together they are large.
    for (const file of files.filter((each) => each.isFile())) {
      const stored = await readFile(join(file.parentPath, file.name));
      expect(stored.includes(key) || stored.includes(encodedKey)).toBe(false);
      hasToken ||= stored.includes(tokens[0] ?? '');
    }
    expect(hasToken).toBe(true);
    expect(printed.some((text) => text.includes(tokens[2] ?? ''))).toBe(true);
    for (const text of printed) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(encodedKey);
    }
  });
});

test.each<[readonly string[], Record<string, string>, number, RegExp]>([
  [
    ['status'],
    { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none' },
    3,
    /database_unusable: PostgreSQL at 127\.0\.0\.1:1, database none cannot be used: /,
  ],
  [
    ['status'],
    { DATABASE_URL: 'postgres://me:hunter2/@[' },
    3,
    /DATABASE_URL: write it as postgres:\/\/user:password@host/,
  ],
  [
    ['status', '--folder', 'none', '--database-schema', 'pg_temp'],
    {},
    3,
    /There is no outbox in .+none\. To make one: orders outbox migrate --folder none --database-schema pg_temp$/m,
  ],
  [
    ['migrate', '--database-schema', '1;drop'],
    { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/none' },
    2,
    /--database-schema: write at most 40/,
  ],
  [
    ['start', '--base-url', 'http://far.example', '--folder', '.'],
    { ORDERS_API_KEY: 'hunter2' },
    2,
    /plain http would show the key/,
  ],
  [['start', '--base-url', 'http://localhost'], { ORDERS_API_KEY: 'hunter2' }, 2, /Where is the outbox\?/],
  [['migrate'], {}, 2, /Where is the outbox\? .* or pass --folder\./],
])(
  'reports what is wrong with %j in one line',
  async (words, env, exitCode, message) => {
    const { code, stdout, stderr } = await runHere(['outbox', ...words], { env });
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^orders: [^\n]+\n$/);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hunter2');
    expect(existsSync('none')).toBe(false);
  },
  30_000,
);
