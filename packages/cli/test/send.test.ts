import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { startForwarder } from '../../../.ci/start-forwarder.ts';
import { countByRow, createBulkFile, findOutOfOrder, readResult } from './bulk-file.ts';
import { type RunningHere, runHere, startHere } from './run-here.ts';
import {
  createFolder,
  type EndedRun,
  type Folder,
  type RunningOrders,
  startOrders,
  until,
} from './run-orders.ts';

/** Each test has a service, files and processes of its own. */
const own = { concurrent: true };
const key = 'sk_test_4f1b9c27';
// Windows ends a process at once: it can handle no signal that another process sends.
const hasSignals = process.platform !== 'win32';

interface Scene extends AsyncDisposable {
  readonly service: MockOrderService;
  readonly folder: Folder;
  /** Sends it in this process; a word that begins with `./` is a file beside it. */
  send(...words: readonly string[]): Promise<EndedRun>;
  start(...words: readonly string[]): RunningHere;
  /** Sends it in a process of its own, which can be killed. */
  startAlone(...words: readonly string[]): RunningOrders;
}

/** A service, and a file updates.csv. */
async function setScene(rows: number, orders: number, latencyMs = 0): Promise<Scene> {
  const tokens = Array.from({ length: orders }, (_, index) => `ord_${index}`);
  const service = await startMockOrderService({ keys: [key], orders: tokens, latencyMs });
  const folder = await createFolder({ 'updates.csv': createBulkFile(rows, tokens) });
  const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: service.url };
  const start = (...words: readonly string[]): RunningHere =>
    startHere(['send', './updates.csv', '--base-url', service.url, ...words], { folder, env });
  return {
    service,
    folder,
    start,
    send: (...words) => start(...words).ended,
    startAlone: (...words) => startOrders(['send', 'updates.csv', ...words], { cwd: folder.path, env }),
    async [Symbol.asyncDispose]() {
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a file is sent once, in sequence per order, and the result agrees with the service', own, async () => {
  await using scene = await setScene(60, 12);
  const { service, folder, send } = scene;
  const { code, stdout, stderr } = await send('--result', './results.csv');
  // A line of progress every ten seconds, which it takes on a busy machine.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(\d+ of 60 rows .*\n)*$/)]);
  expect(stdout).toBe('updates.csv: 60 rows\n  applied         60\n');
  expect(countByRow(service.ledger).size).toBe(60);
  expect(service.ledger).toHaveLength(60);
  expect(findOutOfOrder(service.ledger)).toEqual([]);
  const requestIds = new Map(service.ledger.map(({ body, requestId }) => [body.order_id, requestId]));
  for (const { row, outcome, request_id } of readResult(folder.file('results.csv')))
    expect([outcome, request_id]).toEqual(['applied', requestIds.get(`row-${row}`)]);
  if (hasSignals)
    for (const name of ['results.csv', 'updates.csv.orders-journal', 'updates.csv.orders-journal.lock'])
      expect((await stat(folder.file(name))).mode & 0o777).toBe(0o600);
  expect((await readdir(folder.path)).toSorted()).toEqual([
    'results.csv',
    'updates.csv',
    'updates.csv.orders-journal',
    'updates.csv.orders-journal.lock',
  ]);
  // To another service, it must not look as if it had been sent there.
  const elsewhere = await send('--base-url', 'http://127.0.0.1:1');
  expect(elsewhere).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(`was sent to ${service.url}, `),
  });
  // Again: nothing is left to send, so no service is needed.
  await service.close();
  expect(await send()).toMatchObject({
    code: 0,
    stdout: stdout.replace('60 rows', '60 rows, nothing was sent in this run: all were applied before'),
  });
});

test(
  'a row whose outcome is unknown holds the later rows of its order until a person decides',
  own,
  async () => {
    await using scene = await setScene(40, 10);
    const { service, folder, send } = scene;
    service.faults.next('lostResponse', { token: 'ord_2' });
    service.faults.next('unavailable', { token: 'ord_3' });
    service.faults.next({ type: 'status', status: 400 }, { token: 'ord_4' });
    const first = await send('--json', '--rate', '900', '--result', './results.ndjson');
    expect(first.code).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      sent: 34,
      applied: 31,
      unknown: 2,
      rejected: 1,
      waiting: 6,
    });
    expect(service.appliedUpdates('ord_2')).toHaveLength(1);
    expect(service.appliedUpdates('ord_4')).toHaveLength(3);
    const results = readFileSync(folder.file('results.ndjson'), 'utf8').trim().split('\n');
    expect(
      results.map((line) => JSON.parse(line)).filter(({ outcome }) => outcome !== 'applied'),
    ).toMatchObject([
      {
        row: 2,
        token: 'ord_2',
        order_id: 'row-2',
        outcome: 'unknown',
        decided: null,
        code: 'connection_error',
        sent_at: expect.stringMatching(/^20\d\d-/),
      },
      { row: 3, token: 'ord_3', outcome: 'unknown', status: 503 },
      { row: 4, token: 'ord_4', outcome: 'rejected', status: 400 },
    ]);

    const review = await send('--review');
    expect(review.code).toBe(1);
    expect(review.stdout).toMatch(/^ +2 +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +row-2 +ord_2$/m);
    expect(review.stdout).toContain('it was applied:  orders send updates.csv --resolve 2\n');
    expect(review.stdout).toContain('or all unknown rows with "all"');
    const undecidable = 'waits for no decision: it is';
    expect(await send('--resolve', '2,5,12')).toMatchObject({
      code: 1,
      stdout: 'Settled: 1 row. To go on, run the command that sent the file again.\n',
      stderr: `Row 5 ${undecidable} applied.\nRow 12 waits for no decision: it was not sent, or is not the first of the rows that are one update.\n`,
    });
    expect(await send('--retry', 'all')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await send('--retry', 'all', '--yes')).toMatchObject({ code: 0 });
    // The order of row 4 went on without it, so it cannot be sent behind them.
    expect(await send('--retry', '4')).toMatchObject({ code: 1, stderr: expect.stringContaining('row 14') });
    expect(await send('--discard', '4')).toMatchObject({ code: 0 });

    const second = await send('--json', '--result', './results.csv');
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ sent: 7, applied: 39, discarded: 1, waiting: 0 });
    const decided = readResult(folder.file('results.csv')).filter((row) => row.decided !== '');
    expect(decided).toMatchObject([
      { row: '2', outcome: 'applied', decided: 'resolve', status: '', code: '', message: '' },
      { row: '3', outcome: 'applied', decided: 'retry', status: '200', code: '', message: '' },
      { row: '4', outcome: 'discarded', decided: 'discard', status: '400', code: 'http_error' },
    ]);
    expect(service.ledger).toHaveLength(39);
    expect(findOutOfOrder(service.ledger)).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')(
  'what cannot be read twice is refused before anything is sent or written: a pipe, a named pipe, a device',
  own,
  async () => {
    await using scene = await setScene(3, 3);
    const { service, folder } = scene;
    execFileSync('mkfifo', [folder.file('fifo')]);
    const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: service.url };
    for (const file of ['-', '/dev/stdin', '/dev/null', './fifo']) {
      const words = ['send', file, '--input', 'csv', '--journal', './journal', '--base-url', service.url];
      const { code, stderr } = await runHere(words, { folder, env });
      expect([file, code, stderr]).toEqual([
        file,
        2,
        expect.stringMatching(/send needs a file, whose journal stands beside it\..*Save the input first\./s),
      ]);
    }
    expect(await readdir(folder.path)).not.toContain('journal');
    expect(service.ledger).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')(
  'no file is overwritten by another, through whatever links they are named',
  own,
  async () => {
    await using scene = await setScene(3, 3);
    const { service, folder, send } = scene;
    const [file, journal] = [folder.file('updates.csv'), folder.file('journal.csv')];
    symlinkSync(file, folder.file('link.csv'));
    linkSync(file, folder.file('hard.csv'));
    symlinkSync(folder.path, folder.file('folder'));
    const text = readFileSync(file, 'utf8');
    for (const [words, message] of [
      [['--result', file], '--result'],
      [['--result', './link.csv'], '--result'],
      [['--result', './hard.csv'], '--result'],
      [['--result', './folder/updates.csv'], '--result'],
      [['--journal', journal, '--result', './folder/journal.csv'], '--result'],
      [['--journal', file], '--journal'],
      [['--journal', './link.csv'], '--journal'],
      [['--journal', './hard.csv'], '--journal'],
    ] as const)
      expect([words, await send(...words)]).toMatchObject([
        words,
        { code: 2, stdout: '', stderr: expect.stringContaining(`orders: ${message}: `) },
      ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(service.journal).toEqual([]);
    // A file of an earlier run is.
    for (const code of [0, 0]) expect(await send('--result', './results.csv')).toMatchObject({ code });
  },
);

test('a file without rows is refused, and is sent once it has some', own, async () => {
  await using scene = await setScene(0, 1);
  for (const flags of [[], ['--skip-invalid'], ['--group']])
    expect(await scene.send(...flags)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/ The file has no rows\.\n.*\nNothing was sent\. Fix the file\.\n$/s),
    });
  writeFileSync(scene.folder.file('updates.csv'), 'token,cart.items[0].sku\nord_0,mug\n');
  expect(await scene.send()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: 1 row\n +applied +1\n/),
  });
  expect(scene.service.ledger).toHaveLength(1);
});

test('with --stop-on-rejected the later rows of a rejected one wait, too', own, async () => {
  await using scene = await setScene(20, 5);
  const { service, send } = scene;
  service.faults.next({ type: 'status', status: 400 }, { token: 'ord_4' });
  const { code, stdout } = await send('--stop-on-rejected');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      / applied +16\n +rejected +1 .*\n +waiting +3 +behind rows of their order that wait for a decision\n/,
    ),
  ]);
  expect(await send('--retry', '4')).toMatchObject({ code: 0 });
  expect(await send('--stop-on-rejected')).toMatchObject({ code: 0 });
  expect(findOutOfOrder(service.ledger)).toEqual([]);
});

test.runIf(hasSignals)(
  'killed again and again, it goes on and repeats nothing, and no other process sends the file meanwhile',
  async () => {
    await killAndResume({ rows: 200, orders: 50, latencyMs: 200, rate: 50, kills: 2, after: [1, 10] });
  },
);

test.runIf(inFull && hasSignals)(
  '20,000 rows at 500 a second, killed five times',
  async () => {
    await killAndResume({
      rows: 20_000,
      orders: 2_000,
      latencyMs: 20,
      rate: 500,
      kills: 5,
      after: [1_500, 4_000],
    });
  },
  900_000,
);

interface KillPlan {
  readonly rows: number;
  readonly orders: number;
  /** How long the service holds a response back, so that each kill finds some in flight. */
  readonly latencyMs: number;
  readonly rate: number;
  readonly kills: number;
  /** After how many requests it is killed: between these. */
  readonly after: readonly [number, number];
}

async function killAndResume({
  rows,
  orders,
  latencyMs,
  rate,
  kills,
  after: [least, most],
}: KillPlan): Promise<void> {
  await using scene = await setScene(rows, orders, latencyMs);
  const { service, folder, send, startAlone } = scene;
  // One in 50 meets one of these; the first two are applied.
  service.faults.sometimes(
    [
      { type: 'reset_after_applying' },
      { type: 'truncation' },
      { type: 'status', status: 503 },
      { type: 'reset_before_applying' },
      { type: 'status', status: 400 },
      { type: 'status', status: 429, headers: { 'retry-after': '0' } },
    ],
    { probability: 0.02, seed: 7, operation: 'update' },
  );
  let isLockChecked = false;
  for (let kill = 0; kill < kills; kill++) {
    const updates = () => service.requests({ operation: 'update' });
    const enough = updates().length + least + Math.floor(Math.random() * (most - least));
    await using running = startAlone('--rate', String(rate));
    await Promise.race([
      running.ended,
      until('some are in flight', () => {
        return updates().length >= enough && updates().some(({ status, fault }) => !status && !fault);
      }),
    ]);
    // Nothing that is in flight gets its response any more.
    const isRunning = running.child.kill('SIGSTOP');
    if (isRunning && !isLockChecked) {
      isLockChecked = true;
      expect(await send()).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('Another process is sending this file'),
      });
    }
    running.child.kill('SIGKILL');
  }
  expect(isLockChecked).toBe(true);
  // Faults may come five in a row, which ends a run.
  const sendRest = async () => JSON.parse((await send('--json', '--result', './results.csv')).stdout);
  let report = await sendRest();
  for (let more = 0; report.stopped !== undefined && more < 5; more++) report = await sendRest();
  expect(report.stopped).toBeUndefined();

  const applied = countByRow(service.ledger);
  expect([...applied].filter(([, times]) => times > 1)).toEqual([]);
  expect(findOutOfOrder(service.ledger)).toEqual([]);
  const results = readResult(folder.file('results.csv'));
  const differing = results.filter(({ row, outcome }) => {
    const times = applied.get(Number(row)) ?? 0;
    // A truncated 2xx proves that it was applied.
    return outcome === 'applied' ? times !== 1 : outcome === 'unknown' ? false : times !== 0;
  });
  expect(differing).toEqual([]);
  const known = new Set(results.map(({ row }) => Number(row)));
  expect([...applied.keys()].filter((row) => !known.has(row))).toEqual([]);
  const unknown = results.filter(({ outcome }) => outcome === 'unknown');
  expect(unknown.filter(({ code }) => code === 'interrupted').length).toBeGreaterThan(0);

  // A person looks at the service, and decides.
  service.faults.clear();
  const isApplied = ({ row }: { readonly row: string }): boolean => applied.has(Number(row));
  const resolved = unknown.filter(isApplied).map(({ row }) => row);
  const retried = unknown.filter((each) => !isApplied(each)).map(({ row }) => row);
  const decisions = [
    ...(resolved.length > 0 ? ['--resolve', resolved.join(',')] : []),
    ...(retried.length > 0 ? ['--retry', retried.join(',')] : []),
  ];
  expect(await send(...decisions)).toMatchObject({ code: 0, stderr: '' });
  expect(await sendRest()).toMatchObject({ unknown: 0, waiting: 0 });
  const times = countByRow(service.ledger);
  expect(Math.max(...times.values())).toBe(1);
  expect(findOutOfOrder(service.ledger)).toEqual([]);
  const settled = readResult(folder.file('results.csv'));
  expect(settled).toHaveLength(rows);
  expect(settled.filter(({ row, outcome }) => times.has(Number(row)) !== (outcome === 'applied'))).toEqual(
    [],
  );
}

/** Copies the journal of a run that is going on, which is what it leaves if it is killed now. */
function copyJournal(folder: Folder, copy: string): void {
  for (const end of ['', '-wal'])
    copyFileSync(folder.file(`updates.csv.orders-journal${end}`), folder.file(`${copy}${end}`));
}

/** How many rows a journal that a run has open holds in each state. */
function statesIn(folder: Folder): Readonly<Record<string, number>> {
  copyJournal(folder, 'copy');
  const db = new DatabaseSync(folder.file('copy'));
  try {
    const counts = db.prepare('select state, count(*) as count from rows group by state').all();
    return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
  } finally {
    db.close();
  }
}

test('a journal that was copied without its -wal, or emptied, sends nothing again', own, async () => {
  await using scene = await setScene(20, 20);
  const { service, folder, send, start } = scene;
  service.faults.always({ type: 'latency', ms: 60_000 }, { operation: 'update' });
  const running = start('--concurrency', '20');
  await until('it sends', () => service.requests({ operation: 'update' }).length > 0);
  copyJournal(folder, 'copy');
  running.signal('SIGTERM');
  await service.close();
  await running.ended;
  rmSync(folder.file('copy-wal'));
  writeFileSync(folder.file('empty'), '');
  await using other = await startMockOrderService({ keys: [key], orders: ['ord_0'] });
  for (const [name, reason] of [
    ['copy', 'copy is not whole: its copy-wal is missing'],
    ['empty', 'empty is empty'],
  ] as const)
    expect(await send('--journal', `./${name}`, '--base-url', other.url)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(reason),
    });
  expect(other.journal).toEqual([]);
});

test('killed while 100 rows wait for the end of a pause, none is unknown', own, async () => {
  await using scene = await setScene(100, 100);
  const { service, folder, send, start } = scene;
  service.faults.always(
    { type: 'status', status: 429, headers: { 'retry-after': '300' } },
    { operation: 'update' },
  );
  // No response comes before all have left: then none is about to leave once none is being sent.
  const left = Promise.withResolvers<void>();
  await using forwarder = await startForwarder(Number(new URL(service.url).port), {
    method: 'PATCH',
    until: left.promise,
  });
  const base = ['--base-url', `http://127.0.0.1:${forwarder.port}`];
  {
    await using _ = start('--concurrency', '100', ...base);
    await until('all have left', () => service.requests({ operation: 'update' }).length === 100);
    left.resolve();
    await until('none is being sent, and all wait', () => statesIn(folder)['ready'] === 100);
    copyJournal(folder, 'killed');
  }
  service.faults.clear();
  const { code, stdout } = await send('--json', '--journal', './killed', ...base);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { applied: 100, unknown: 0 }]);
  expect(service.ledger).toHaveLength(100);
});

test('killed while a row waits whose earlier attempt may have been applied, it is unknown', own, async () => {
  await using scene = await setScene(1, 1);
  const { service, folder, send, start } = scene;
  const refused = folder.file('refused');
  // What follows a response in the same turn of the event loop has happened once the file is there.
  writeFileSync(
    folder.file('config.mjs'),
    `import { writeFileSync } from 'node:fs';
     const classifyResponse = ({ status }) => {
       if (status === 429) setImmediate(() => writeFileSync(${JSON.stringify(refused)}, ''));
     };
     export default { retry: { resendUnknown: true }, classifyResponse };`,
  );
  const pause = { type: 'status', status: 429, headers: { 'retry-after': '300' } } as const;
  service.faults.next([{ type: 'reset_after_applying' }, pause], { operation: 'update' });
  {
    await using _ = start('--config', './config.mjs');
    await until('the 429 is known', () => existsSync(refused));
    copyJournal(folder, 'killed');
  }
  const { stdout } = await send('--review', '--json', '--journal', './killed');
  expect(JSON.parse(stdout).waiting).toMatchObject([{ state: 'unknown' }]);
  expect(service.ledger).toHaveLength(1);
});

test(
  'killed while rows wait for a slot of the rate limit, only those that left are unknown',
  own,
  async () => {
    await using scene = await setScene(100, 100);
    const { service, folder, send, start } = scene;
    service.faults.always({ type: 'latency', ms: 60_000 }, { operation: 'update' });
    const running = start('--concurrency', '100', '--rate', '1');
    await until('it sends', () => service.requests({ operation: 'update' }).length > 0);
    // Nothing else happens meanwhile in this process.
    copyJournal(folder, 'killed');
    const sent = service.requests({ operation: 'update' }).map(({ token }) => token);
    const { stdout } = await send('--review', '--json', '--journal', './killed');
    const unknown = JSON.parse(stdout).waiting.map(({ token }: { readonly token: string }) => token);
    expect(unknown.toSorted()).toEqual(sent.toSorted());
    running.signal('SIGTERM');
    await service.close();
    await running.ended;
  },
);

test('a call that settles nothing says why, and "rejected" stands for all rejected rows', own, async () => {
  await using scene = await setScene(6, 6);
  const { service, send } = scene;
  service.faults.next(Array(3).fill({ type: 'status', status: 400 }), { operation: 'update' });
  expect(await send()).toMatchObject({ code: 1 });
  expect(await send('--retry', 'all', '--yes')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'Nothing was settled: no row is unknown. For the 3 rejected rows, pass --retry rejected.\n',
  });
  expect(await send('--retry', 'rejected')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  expect(await send('--retry', 'rejected', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Settled: 3 rows. '),
  });
  expect(await send()).toMatchObject({ code: 0 });
  expect(service.ledger).toHaveLength(6);
  expect(await send('--discard', 'rejected')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Nothing was settled: no row is rejected, and none is unknown.\n',
  });
});

test('a result that cannot be written is an error before anything is sent', own, async () => {
  await using scene = await setScene(3, 3);
  const { service, folder, send } = scene;
  mkdirSync(folder.file('folder.csv'));
  for (const name of ['none/results.csv', 'updates.csv/results.csv', 'folder.csv'])
    expect(await send('--result', `./${name}`)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^orders: Cannot write ${name}: .*\\. Nothing was sent\\.\\n$`),
      ),
    });
  expect(service.journal).toEqual([]);
  expect((await readdir(folder.path)).toSorted()).toEqual(['folder.csv', 'updates.csv']);
});

test(
  'a result that cannot be written at the end hides neither what was sent nor why it stopped',
  own,
  async () => {
    await using scene = await setScene(6, 6);
    const { service, folder, start } = scene;
    const left = Promise.withResolvers<void>();
    await using forwarder = await startForwarder(Number(new URL(service.url).port), {
      method: 'PATCH',
      until: left.promise,
    });
    mkdirSync(folder.file('out'));
    service.faults.always({ type: 'status', status: 401 }, { operation: 'update' });
    const base = ['--base-url', `http://127.0.0.1:${forwarder.port}`, '--concurrency', '1'];
    await using running = start(...base, '--json', '--result', './out/results.csv');
    await until('one has left', () => service.requests({ operation: 'update' }).length === 1);
    rmSync(folder.file('out'), { recursive: true });
    left.resolve();
    const { code, stdout, stderr } = await running.ended;
    expect([code, JSON.parse(stdout || '{}')]).toMatchObject([3, { sent: 2, waiting: 6 }]);
    expect(stderr).toMatch(
      /^orders: stopped: the service refuses the key\. .*\norders: Cannot write out\/results\.csv: .*\. The journal has it all: run the same command again\.\n$/,
    );
  },
);

/** Changes the journal while no run has it open. */
function changeJournal(folder: Folder, sql: string): void {
  const db = new DatabaseSync(folder.file('updates.csv.orders-journal'));
  db.exec(sql);
  db.close();
}

test('a row whose outcome cannot be written is counted as unknown, and the advice says so', own, async () => {
  await using scene = await setScene(6, 6);
  const { service, folder, send } = scene;
  const words = ['--json', '--concurrency', '1', '--result', './results.csv'];
  service.faults.always({ type: 'status', status: 401 }, { operation: 'update' });
  expect(await send(...words)).toMatchObject({ code: 3 });
  service.faults.clear();
  changeJournal(
    folder,
    `create trigger fails before update on rows when new.state = 'applied'
    begin select raise(abort, 'the disk is full'); end`,
  );
  const { code, stdout, stderr } = await send(...words);
  const sent = service.ledger.length;
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { applied: 0, unknown: sent, waiting: 6 - sent }]);
  const lines = stderr.trim().split('\n');
  expect(lines).toHaveLength(sent + 1);
  expect(lines[0]).toBe('Row 2 was applied (200), which could not be written: it becomes unknown.');
  expect(lines.at(-1)).toBe(
    'orders: stopped: The journal could not be written: the disk is full. Run the same command again to go on: what could not be written waits for a decision.',
  );
  const outcomes = readResult(folder.file('results.csv')).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(sent);
  expect(outcomes).not.toContain('sending');
  changeJournal(folder, 'drop trigger fails');
  expect(JSON.parse((await send(...words)).stdout)).toMatchObject({ applied: 6 - sent, unknown: sent });
});

test('of many decisions all are noted, or none', own, async () => {
  await using scene = await setScene(20, 20);
  const { service, folder, send } = scene;
  service.faults.always({ type: 'status', status: 400 }, { operation: 'update' });
  expect(await send()).toMatchObject({ code: 1 });
  changeJournal(
    folder,
    `create trigger fails before update on rows when new.row = 15 and new.decided is not null
    begin select raise(abort, 'the disk is full'); end`,
  );
  const words = ['--resolve', '2', '--resolve', '3', '--retry', 'rejected', '--yes'];
  expect(await send(...words)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'orders: The journal could not be written: the disk is full.\n',
  });
  const { stdout } = await send('--review', '--json');
  expect(JSON.parse(stdout).waiting).toHaveLength(20);
  // A question that is answered with no undoes what was decided beside it.
  const [file, journal] = ['./updates.csv', './updates.csv.orders-journal'];
  const refused = await runHere(['send', file, '--journal', journal, ...words.slice(0, -1)], {
    folder,
    confirm: () => false,
  });
  expect(refused).toMatchObject({ code: 3, stderr: 'orders: Nothing was changed.\n' });
  expect(JSON.parse((await send('--review', '--json')).stdout).waiting).toHaveLength(20);
  changeJournal(folder, 'drop trigger fails');
  for (const more of ['2', 'all'])
    expect(await send('--retry', 'rejected', '--retry', more)).toMatchObject({ code: 2, stdout: '' });
  const settled = await send(...words, '--json');
  expect([settled.code, JSON.parse(settled.stdout).settled.length]).toEqual([0, 20]);
  expect(JSON.parse(settled.stdout).settled.slice(0, 3)).toEqual([
    { row: 2, decision: 'resolve' },
    { row: 3, decision: 'resolve' },
    expect.objectContaining({ decision: 'retry' }),
  ]);
});

test('Ctrl-C finishes what is in flight, and the same command goes on', own, async () => {
  await using scene = await setScene(60, 30);
  const { service, start, send } = scene;
  await using running = start('--rate', '30', '--json');
  await until('it sends', () => service.ledger.length > 4);
  running.signal('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    applied: service.ledger.length,
    unknown: 0,
    stopped: 'interrupted',
  });
  expect(stderr).toContain('run the same command again to go on');
  expect(service.ledger.length).toBeLessThan(60);
  const before = service.ledger.length;
  expect(await send()).toMatchObject({
    code: 0,
    stdout: `updates.csv: 60 rows, ${60 - before} sent in this run\n  applied         60\n`,
    stderr: '',
  });
  expect(countByRow(service.ledger).size).toBe(60);
  expect(service.ledger).toHaveLength(60);
});

test.skipIf(!hasSignals).for([
  ['moved', ''],
  ['removed with its lock', '.lock'],
] as const)(
  'a journal that is %s during a run ends it, with what was sent and without advice that repeats it',
  own,
  async ([, lock]) => {
    await using scene = await setScene(60, 60);
    const { service, folder, start, send } = scene;
    const journal = folder.file('updates.csv.orders-journal');
    const left = Promise.withResolvers<void>();
    await using forwarder = await startForwarder(Number(new URL(service.url).port), {
      method: 'PATCH',
      until: left.promise,
    });
    const words = ['--concurrency', '4', '--base-url', `http://127.0.0.1:${forwarder.port}`];
    await using running = start(...words);
    await until('four have left', () => service.ledger.length === 4);
    renameSync(journal, folder.file('moved'));
    if (lock !== '') rmSync(`${journal}${lock}`);
    left.resolve();
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        'stopped: The journal could not be written: updates.csv.orders-journal was removed or replaced. Of the rows up to 5, 0 were applied and 4 may have been. A run without this journal sends them again: put it back first, beside its -wal.\n',
      ),
    ]);
    expect(stderr).not.toMatch(/same command|Nothing is lost/);
    // As it says.
    renameSync(folder.file('moved'), journal);
    const { stdout } = await send('--json', ...words);
    expect(JSON.parse(stdout)).toMatchObject({ applied: 56, unknown: 4 });
    expect(Math.max(...countByRow(service.ledger).values())).toBe(1);
  },
);

test('a service that fails stops the run before more becomes unknown', own, async () => {
  await using scene = await setScene(30, 30);
  const { service, send } = scene;
  service.faults.always('unavailable', { operation: 'update' });
  const { code, stdout, stderr } = await send('--concurrency', '4', '--json');
  expect(code).toBe(3);
  expect(stderr).toMatch(/^orders: stopped: 5 updates in a row failed\. .*503.*\n$/);
  const { unknown, applied } = JSON.parse(stdout);
  expect(applied).toBe(0);
  expect(unknown).toBeGreaterThanOrEqual(5);
  expect(unknown).toBeLessThan(5 + 4);
  service.faults.clear();
  expect(await send('--retry', 'all', '--yes')).toMatchObject({ code: 0 });
  expect(await send()).toMatchObject({ code: 0 });
  expect(service.ledger).toHaveLength(30);
});

test.for<[what: string, onUpdate: string, reason: RegExp]>([
  [
    'service that goes away',
    'await new Promise((done) => process.emit(event, done) || done())',
    /ECONNREFUSED/,
  ],
  ['key function that fails', 'throw new RangeError("no key")', /it threw RangeError/],
])('a %s after the echo is the reason why rows are left, however few', own, async ([, onUpdate, reason]) => {
  await using scene = await setScene(4, 2);
  const { service, folder } = scene;
  const event = randomUUID();
  writeFileSync(
    folder.file('config.mjs'),
    `const event = '${event}';
let isEchoed = false;
async function apiKey() {
  if (isEchoed) ${onUpdate};
  isEchoed = true;
  return '${key}';
}
export default { apiKey, retry: { maxAttempts: 1 } };`,
  );
  process.once(event as never, (done: () => void) => void service.close().then(done));
  const words = ['send', './updates.csv', '--config', './config.mjs', '--concurrency', '1'];
  const { code, stdout, stderr } = await runHere([...words, '--base-url', service.url], { folder });
  expect([code, stdout]).toEqual([3, expect.stringMatching(/ applied +0\n +waiting +4 +not sent yet\n$/)]);
  expect(stderr).toMatch(
    /^orders: stopped: [12] updates? failed\. PATCH .*Nothing is lost: run the same command again to go on\.\n$/,
  );
  expect(stderr).toMatch(reason);
});

test('a key that is refused in the middle rejects no row for good', own, async () => {
  await using scene = await setScene(40, 40);
  const { service, folder, send } = scene;
  service.faults.next(
    [...Array(10).fill({ type: 'none' }), ...Array(30).fill({ type: 'status', status: 401 })],
    {
      operation: 'update',
    },
  );
  const { code, stdout, stderr } = await send('--concurrency', '4', '--json');
  expect(code).toBe(3);
  expect(stderr).toMatch(/^orders: stopped: the service refuses the key\. .*401/);
  expect(JSON.parse(stdout)).toMatchObject({ applied: 10, rejected: 0, waiting: 30 });
  service.faults.clear();
  expect(await send('--json', '--result', './results.csv')).toMatchObject({ code: 0, stderr: '' });
  const results = readResult(folder.file('results.csv'));
  expect(results.filter(({ decided }) => decided !== '')).toEqual([]);
  expect(service.ledger).toHaveLength(40);
});

test.each([
  { status: 401, what: 'hides that in no order', found: { applied: 1, rejected: 0, waiting: 2 }, ends: 3 },
  { status: 403, what: 'is no 403 of an order', found: { applied: 1, rejected: 2, waiting: 0 }, ends: 1 },
])(
  'a row that left before a key was refused, and is applied after it, $what',
  own,
  async ({ status, found, ends }) => {
    await using scene = await setScene(3, 3);
    const { service, folder } = scene;
    // In the sequence of the file.
    service.faults.always({ type: 'latency', ms: 300 }, { token: 'ord_2' });
    service.faults.always({ type: 'status', status: 401 }, { token: 'ord_0' });
    service.faults.always({ type: 'status', status }, { token: 'ord_1' });
    const event = randomUUID();
    // The first reading is for the echo, and the fourth for the third row.
    writeFileSync(
      folder.file('config.mjs'),
      `let readings = 0;
async function apiKey() {
  if (++readings === 4) await new Promise((done) => process.emit('${event}', done));
  return '${key}';
}
export default { apiKey };`,
    );
    process.once(event as never, async (done: () => void) => {
      await expect
        .poll(() => service.requests().find(({ token }) => token === 'ord_2')?.respondedAt)
        .toBeDefined();
      // The command has read the response by then, or the test shows nothing.
      await delay(100);
      done();
    });
    const words = ['send', './updates.csv', '--config', './config.mjs', '--concurrency', '2', '--json'];
    const { code, stdout } = await runHere([...words, '--base-url', service.url], { folder });
    expect(code).toBe(ends);
    expect(JSON.parse(stdout)).toMatchObject(found);
  },
);

test('orders that are refused for themselves stop one run, and no more', own, async () => {
  await using scene = await setScene(12, 12);
  const { service, send } = scene;
  const refused = ['ord_2', 'ord_3', 'ord_6', 'ord_7'];
  for (const token of refused) service.faults.always({ type: 'status', status: 403 }, { token });
  const words = ['--concurrency', '1', '--json'];
  const run = async () => {
    const { code, stdout, stderr } = await send(...words);
    const { applied, rejected } = JSON.parse(stdout);
    return { code, applied, rejected, isKey: /stopped: the service refuses the key\. .*403/.test(stderr) };
  };
  expect(await run()).toEqual({ code: 3, applied: 0, rejected: 0, isKey: true });
  expect(await run()).toEqual({ code: 3, applied: 2, rejected: 2, isKey: true });
  expect(await run()).toEqual({ code: 1, applied: 8, rejected: 4, isKey: false });
  service.faults.clear();
  expect(await send('--retry', 'rejected', '--yes')).toMatchObject({ code: 0 });
  expect(await run()).toEqual({ code: 0, applied: 12, rejected: 0, isKey: false });
});

test(
  'rows of the end that are refused twice are rejected, and so are those that a person sends again',
  own,
  async () => {
    await using scene = await setScene(12, 12);
    const { service, send } = scene;
    const last = ['ord_8', 'ord_9', 'ord_10', 'ord_11', 'ord_0', 'ord_1'];
    for (const token of last) service.faults.always({ type: 'status', status: 403 }, { token });
    const run = async () => {
      const { code, stdout } = await send('--concurrency', '1', '--json');
      const { applied, rejected, waiting, sent } = JSON.parse(stdout);
      return { code, applied, rejected, waiting, sent };
    };
    // Each run meets two more, until none is new.
    for (let stopped = 0; stopped < 3; stopped++)
      expect(await run()).toMatchObject({ code: 3, applied: 6, rejected: 0, waiting: 6 });
    expect(await run()).toMatchObject({ code: 1, applied: 6, rejected: 6, waiting: 0 });
    await send('--retry', 'rejected', '--yes');
    for (let stopped = 0; stopped < 3; stopped++)
      expect(await run()).toMatchObject({ code: 3, applied: 6, rejected: 0, waiting: 6 });
    expect(await run()).toMatchObject({ code: 1, applied: 6, rejected: 6, waiting: 0 });
  },
);

test.for([
  [2, 401],
  [2, 403],
  [30, 401],
  [30, 403],
] as const)('%i rows that a wrong key sends again and again, each %i, stay', own, async ([rows, status]) => {
  await using scene = await setScene(rows, rows);
  const { service, send } = scene;
  service.faults.always({ type: 'status', status }, { operation: 'update' });
  for (let run = 0; run < 4; run++) {
    const { code, stdout } = await send('--concurrency', '4', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { applied: 0, rejected: 0, waiting: rows }]);
  }
  service.faults.clear();
  expect(await send()).toMatchObject({ code: 0 });
  expect(service.ledger).toHaveLength(rows);
});

test('a 429 pauses the run, and no row is lost to it', own, async () => {
  await using scene = await setScene(24, 8);
  const { service, folder, send } = scene;
  service.faults.next(
    { type: 'status', status: 429, headers: { 'ratelimit-reset': '0.2' } },
    { operation: 'update', times: 4 },
  );
  expect(await send('--result', './results.csv')).toMatchObject({ code: 0, stderr: '' });
  expect(service.ledger).toHaveLength(24);
  expect(findOutOfOrder(service.ledger)).toEqual([]);
  // Each request counts, also one of a row that was put back.
  const sent = readResult(folder.file('results.csv')).map(({ attempts }) => Number(attempts));
  expect(sent.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(24 + 4);
});

test('a service is the same, however its base URL is written', own, async () => {
  await using scene = await setScene(5, 5);
  const { service, send } = scene;
  expect(await send()).toMatchObject({ code: 0 });
  for (const baseUrl of [service.url.toUpperCase(), ` ${service.url}/ `])
    expect(await send('--base-url', baseUrl)).toMatchObject({ code: 0 });
  expect(service.ledger).toHaveLength(5);
});

test('a file whose name looks like a URI has a journal of its own', own, async () => {
  await using scene = await setScene(3, 3);
  const { service, folder, send } = scene;
  expect(await send()).toMatchObject({ code: 0 });
  writeFileSync(folder.file('file:updates.csv'), 'token,cart.items[0].sku\nord_1,cup\n');
  const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: service.url };
  const { ended } = startOrders(['send', 'file:updates.csv'], { cwd: folder.path, env });
  expect(await ended).toMatchObject({ code: 0, stdout: 'file:updates.csv: 1 row\n  applied          1\n' });
  expect(service.ledger).toHaveLength(4);
});

test('a file that has changed, or is read in another way, is refused', own, async () => {
  await using scene = await setScene(20, 5);
  const { service, folder, send } = scene;
  await send();
  const file = folder.file('updates.csv');
  const text = readFileSync(file, 'utf8');
  appendFileSync(file, 'ord_1,row-22,mug,1,1\n');
  const longer = await send();
  expect(longer).toMatchObject({ code: 3, stdout: '' });
  expect(longer.stderr).toMatch(/: it had [\d,]+ bytes, and has [\d,]+ bytes\. Nothing was sent\./);
  writeFileSync(file, text.replace('row-7,mug,2', 'row-7,mug,3'));
  expect(await send()).toMatchObject({ code: 3, stderr: expect.stringContaining('has changed') });
  writeFileSync(file, text);
  expect((await send('--decimals', '2')).stderr).toContain('Pass --decimals 0');
  expect(await send()).toMatchObject({ code: 0 });
  expect(service.ledger).toHaveLength(20);
});

test('--skip-invalid sends the other rows, and no cell of the result is a formula', own, async () => {
  await using scene = await setScene(3, 3);
  const { service, folder, send } = scene;
  appendFileSync(folder.file('updates.csv'), 'ord_1,=cmd|x,mug,two,1\n=ord_1,x,mug,1,1\n');
  const refused = await send();
  expect(refused).toMatchObject({ code: 1, stderr: '' });
  expect(refused.stdout).toContain('updates.csv:5:4 row 5, cart.items[0].quantity (not_integer)');
  expect(refused.stdout).toMatch(/Nothing was sent\. .*--skip-invalid/);
  expect(service.journal).toEqual([]);
  const { code } = await send('--skip-invalid', '--result', './results.csv');
  expect(code).toBe(1);
  expect(service.ledger).toHaveLength(3);
  const results = readResult(folder.file('results.csv'));
  expect(results.map(({ outcome }) => outcome)).toEqual([
    'applied',
    'applied',
    'applied',
    'invalid',
    'rejected',
  ]);
  expect(results.at(-1)?.token).toBe("'=ord_1");
  expect(statSync(folder.file('results.csv')).size).toBeGreaterThan(0);
});

const itemRows = `token,order_id,cart.items[0].sku
ord_0,A,mug
ord_0,A,cup
ord_1,B,mug
ord_0,A,plate
`;

test(
  'one row for each item of an order is noticed before a byte is sent, and --group makes one update',
  own,
  async () => {
    await using scene = await setScene(0, 2);
    const { service, folder, send } = scene;
    writeFileSync(folder.file('updates.csv'), itemRows.replace('ord_0,A,plate\n', ''));
    const refused = await send('--skip-invalid');
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Nothing was sent. Fix the file.\n'),
    });
    expect(refused.stdout.replace(/\s+/g, ' ')).toContain(
      'Rows 2 to 3 are of one order and hold different items. As updates of their own, the last would replace the items of the others. Pass --group to make one update of the rows of an order, or --each-row if each holds all items of its order.',
    );
    expect(service.journal).toEqual([]);
    service.faults.next('lostResponse', { token: 'ord_1' });
    expect(await send('--group', '--result', './results.csv')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('updates.csv: 2 orders\n'),
    });
    expect(service.appliedUpdates('ord_0')).toEqual([
      { order_id: 'A', cart: { items: [{ sku: 'mug' }, { sku: 'cup' }] } },
    ]);
    // The journal has how the file is read.
    expect(await send('--each-row')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('was sent with --group, and now with --each-row. Nothing was sent.'),
    });
    expect(await send('--resolve', '3')).toMatchObject({
      code: 1,
      stderr:
        'Row 3 waits for no decision: it was not sent, or is not the first of the rows that are one update.\n',
    });
    expect(await send('--retry', 'all', '--yes')).toMatchObject({ code: 0 });
    expect(await send()).toMatchObject({ code: 0 });
    expect(service.ledger).toHaveLength(3);
  },
);

test.for([
  ['is invalid', 'ord_0,mug,1\nord_0,cup,two\n', /Pass --group .*or --each-row/],
  ['lacks a cell', 'ord_0,mug,1\nord_0,cup\n', /Pass --group .*or --each-row/],
  ['has no token', 'ord_0,mug,1\n,cup,2\n', /Write the token in every row of an order/],
  ['has "nan" for its token', 'ord_0,mug,1\nnan,cup,2\n', /Write the token in every row of an order/],
] as const)(
  'the rest of an order is not sent with --skip-invalid where an item of it %s',
  own,
  async ([, rows, advice]) => {
    await using scene = await setScene(0, 2);
    const { service, folder, send } = scene;
    const header = 'token,cart.items[0].sku,cart.items[0].quantity\n';
    writeFileSync(folder.file('updates.csv'), `${header}${rows}ord_1,mug,1\n`);
    const { code, stdout } = await send('--skip-invalid');
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([1, expect.stringMatching(advice)]);
    expect(service.journal).toEqual([]);
  },
);

test(
  'rows of an order that are apart, or differ in more than their items, are refused by row',
  own,
  async () => {
    await using scene = await setScene(0, 2);
    const { service, folder, send } = scene;
    writeFileSync(folder.file('updates.csv'), itemRows);
    expect(await send('--group')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('updates.csv:5:1 row 5, token (group_apart)'),
    });
    writeFileSync(folder.file('updates.csv'), itemRows.replace('ord_0,A,cup', 'ord_0,B,cup'));
    expect(await send('--group')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('updates.csv:3:2 row 3, order_id (group_differs)'),
    });
    // A part of an order must not be sent without the rest.
    expect(await send('--group', '--skip-invalid')).toMatchObject({ code: 2 });
    expect(service.journal).toEqual([]);
    writeFileSync(folder.file('updates.csv'), itemRows);
    expect(await send('--each-row')).toMatchObject({ code: 0 });
    expect(service.ledger).toHaveLength(4);
    expect(await send('--group')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('with --each-row'),
    });
  },
);

test('what JSON.parse would change is not sent', own, async () => {
  await using scene = await setScene(0, 2);
  const { service, folder } = scene;
  const files = {
    'total.ndjson': '{"token":"ord_0","update":{"cart":{},"total":12345678901234567890}}\n',
    'cart.ndjson': '{"token":"ord_0","update":{"cart":{"items":[{"sku":"mug"}]},"cart":{"items":[]}}}\n',
    'token.ndjson': '{"token":"ord_1","token":"ord_0","update":{"cart":{}}}\n',
    'update.json': '{"cart":{"items":[{"sku":"mug"}]},\n "c\\u0061rt":{"items":[]}}',
    'tiny.json': '{"cart":{},\n "total":1e-400}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.file(name), text);
  const run = (...words: readonly string[]) =>
    runHere([...words, '--base-url', service.url], { folder, env: { ORDERS_API_KEY: key } });
  for (const name of ['total.ndjson', 'cart.ndjson', 'token.ndjson'])
    expect(await run('send', `./${name}`)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/:1:\d+ row 1, [\w.]+ \((inexact_number|duplicate_name)\)/),
    });
  for (const name of ['update.json', 'tiny.json'])
    expect(await run('update', 'ord_0', `./${name}`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\.json:2:\d+: Found ("cart"|1e-400)\. /),
    });
  expect(service.journal.filter(({ method }) => method === 'PATCH')).toEqual([]);
});

/** A schema that refuses one update, and by default a configuration with it. */
const refusing = (orderId: string, exported = '{ schema }'): string => `
import { OrderUpdate } from ${JSON.stringify(import.meta.resolve('@orders/schema'))};
const schema = OrderUpdate.check(({ value, issues }) => {
  if (value.order_id === '${orderId}') issues.push({ code: 'custom', input: value, message: 'not that one' });
});
export default ${exported};`;

test(
  'a row that is invalid only by the schema of a later run stops it, and is sent by the next',
  own,
  async () => {
    await using scene = await setScene(30, 30);
    const { service, folder, send } = scene;
    writeFileSync(folder.file('key'), key);
    writeFileSync(folder.file('schema.mjs'), refusing('row-20', 'schema'));
    const run = (...words: readonly string[]) => runHere(['send', './updates.csv', ...words], { folder });
    service.faults.always('unavailable', { operation: 'update' });
    await run('--base-url', service.url, '--api-key-file', './key', '--concurrency', '1');
    service.faults.clear();
    await run('--retry', 'all', '--yes');

    const stopped = await send('--schema', './schema.mjs', '--json');
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining('row 20: not that one') });
    expect(JSON.parse(stopped.stdout)).toMatchObject({ invalid: 0, applied: service.ledger.length });
    expect(await send()).toMatchObject({ code: 0 });
    expect(service.ledger).toHaveLength(30);
  },
);

/** Rows of which the second has a warning: a spreadsheet made it of 693217000000. */
const damagedRows = `token,order_id,cart.items[0].sku
ord_0,row-2,mug
ord_1,6.93217E+11,mug
ord_2,row-4,mug
`;

test.for<[first: readonly string[], resumed: readonly string[], report: object]>([
  [[], ['--strict'], { applied: 3, invalid: 0 }],
  [[], ['--strict', '--skip-invalid'], { applied: 3, invalid: 0 }],
  [['--strict', '--skip-invalid'], ['--skip-invalid'], { applied: 2, invalid: 1 }],
  [[], ['--input', 'ndjson'], { applied: 3, invalid: 0 }],
  [[], ['--input', 'json', '--skip-invalid'], { applied: 3, invalid: 0 }],
])('a file sent with %j is read so when it is resumed with %j', own, async ([first, resumed, report]) => {
  await using scene = await setScene(0, 3);
  const { service, folder, send } = scene;
  writeFileSync(folder.file('updates.csv'), damagedRows);
  service.faults.always({ type: 'status', status: 401 }, { operation: 'update' });
  const words = ['--json', '--concurrency', '1'];
  expect(await send(...words, ...first)).toMatchObject({ code: 3 });
  service.faults.clear();
  expect(JSON.parse((await send(...words, ...resumed)).stdout)).toMatchObject({ ...report, waiting: 0 });
});

test('the file is checked by the schema that the client has from --config', own, async () => {
  await using scene = await setScene(10, 3);
  const { service, folder, send } = scene;
  writeFileSync(folder.file('config.mjs'), refusing('row-5'));
  const refused = await send('--config', './config.mjs');
  expect([refused.code, refused.stdout.replace(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringMatching(/updates\.csv:5 row 5 .* not that one.* Nothing was sent\./),
  ]);
  expect(service.journal).toEqual([]);
  const words = ['--config', './config.mjs', '--skip-invalid', '--json', '--result', './results.csv'];
  const { code, stdout } = await send(...words);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { applied: 9, invalid: 1, waiting: 0 }]);
  expect(countByRow(service.ledger).has(5)).toBe(false);
  expect(service.ledger).toHaveLength(9);
  const [row] = readResult(folder.file('results.csv')).filter(({ outcome }) => outcome !== 'applied');
  expect(row).toMatchObject({ row: '5', outcome: 'invalid', sent_at: '' });
});

/** A file of several blocks, so that not all of it is read before its first row is sent. */
function widen(folder: Folder): string {
  const file = folder.file('updates.csv');
  const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const wide = lines.map((line) => `${line},${' '.repeat(5_000)}\n`);
  const text = `${header},user_identifier\n${wide.join('')}`;
  writeFileSync(file, text);
  return text;
}

const withoutRow = (text: string, row: number): string =>
  text
    .split('\n')
    .toSpliced(row - 1, 1)
    .join('\n');

const anyRun = ['first', 'resumed'];

test.for<[how: string, change: (text: string) => string, runs: readonly string[]]>([
  ['loses a row', (text) => withoutRow(text, 5), anyRun],
  ['has other rows', (text) => text.replaceAll('mug', 'cup'), anyRun],
  ['is empty', () => '', anyRun],
  // The rows of the last block are left, which are read at once.
  ['has more rows', (text) => `${text}ord_1,row-102,mug,1,1\n`, ['first']],
  ['has a malformed row more', (text) => `${text}ord_1,"\n`, ['first']],
  ['is cut', (text) => text.slice(0, -1), ['first']],
])(
  'of a file that %s while it is sent, nothing of the change is sent, and restored it goes on',
  own,
  async ([, change, runs]) => {
    await using scene = await setScene(100, 100);
    const { service, folder, send, start } = scene;
    const file = folder.file('updates.csv');
    const text = widen(folder);
    const updates = () => service.requests({ operation: 'update' }).length;
    let changed = Promise.withResolvers<void>();
    await using forwarder = await startForwarder(Number(new URL(service.url).port), {
      method: 'PATCH',
      get until() {
        return changed.promise;
      },
    });
    const words = ['--base-url', `http://127.0.0.1:${forwarder.port}`, '--concurrency', '4', '--json'];
    for (const run of runs) {
      changed = Promise.withResolvers();
      const before = updates();
      await using running = start(...words);
      await until('it sends', () => updates() > before);
      writeFileSync(file, change(text));
      changed.resolve();
      const { code, stdout, stderr } = await running.ended;
      expect([run, code, JSON.parse(stdout)]).toMatchObject([
        run,
        3,
        { rows: 100, applied: service.ledger.length, rejected: 0, unknown: 0, invalid: 0 },
      ]);
      expect(stderr).toMatch(
        /^orders: stopped: \S*updates\.csv was changed while it was read, and nothing of the change was sent\. Restore it, .* Nothing is lost: run the same command again to go on\.\n$/m,
      );
      writeFileSync(file, text);
    }
    expect(await send(...words)).toMatchObject({ code: 0 });
    expect(service.ledger).toHaveLength(100);
    expect(countByRow(service.ledger).size).toBe(100);
    expect(service.ledger.filter(({ body }) => body.cart.items?.[0]?.['sku'] !== 'mug')).toEqual([]);
  },
);

test('of a file that changes while it is checked, nothing is sent', own, async () => {
  await using scene = await setScene(100, 100);
  const { service, folder, send } = scene;
  const text = widen(folder);
  writeFileSync(folder.file('other.csv'), withoutRow(text, 5));
  writeFileSync(
    folder.file('schema.mjs'),
    `import { copyFileSync } from 'node:fs';
import { OrderUpdate } from ${JSON.stringify(import.meta.resolve('@orders/schema'))};
export default OrderUpdate.check(() =>
  copyFileSync(${JSON.stringify(folder.file('other.csv'))}, ${JSON.stringify(folder.file('updates.csv'))}));`,
  );
  expect(await send('--schema', './schema.mjs')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('was changed while it was read, and nothing of the change was sent'),
  });
  expect(service.journal).toEqual([]);
  expect(await readdir(folder.path)).not.toContain('updates.csv.orders-journal');
});
