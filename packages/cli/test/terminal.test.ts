import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { startMockOrderService } from '@orders/testing';
import { expect, test, vi } from 'vitest';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { quickly } from '../../../.ci/start-quickly.ts';
import { commandLine, createTerminal, formatCount } from '../src/terminal.ts';
import { createBulkFile } from './bulk-file.ts';
import { createFolder, type Folder, until } from './run-orders.ts';

const key = 'sk_test_4f1b9c27';
/** The `script` of util-linux runs a command on a terminal of its own. */
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

interface Run {
  readonly words: readonly string[];
  /** What is set from this run on. */
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed at its first question. */
  readonly typed?: string;
}

/** Runs commands in one process, on a terminal of 80 columns. */
async function runOnTerminal(
  folder: Folder,
  runs: readonly Run[],
): Promise<readonly { readonly text: string; readonly code: number }[]> {
  const driver = join(import.meta.dirname, 'on-terminal.ts');
  const program = [process.execPath, ...quickly.flags, '--conditions=@orders/source', driver];
  const child = spawn(
    'script',
    [
      ...['--quiet', '--return', '/dev/null', '--command'],
      `stty cols 80 rows 24; exec ${commandLine([...program, JSON.stringify(runs)])}`,
    ],
    {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], TERM: 'xterm', ...quickly.env },
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: insideTestLimitMs,
    },
  );
  let text = '';
  const typedAt = new Set<number>();
  child.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk);
    const shown = text.split('ended with ');
    const run = shown.length - 1;
    if (typedAt.has(run) || !shown[run]?.includes('(y/N)')) return;
    typedAt.add(run);
    child.stdin.write(runs[run]?.typed ?? '');
  });
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  return [...text.matchAll(/([\s\S]*?)ended with (\d)/g)].map(([, shown = '', code]) => ({
    text: shown,
    code: Number(code),
  }));
}

/** The widest line that was shown; a line that is drawn anew begins with a move to its first column. */
const widest = (text: string): number =>
  Math.max(
    ...text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this character begins what a terminal obeys
      .split(/[\r\n]+|\u001b\[\d*G/)
      .map((line) => stripVTControlCharacters(line).length),
  );

const hasBash = process.platform !== 'win32' && spawnSync('bash', ['--version']).status === 0;

test('a count has a comma before each three digits', () => {
  expect([0, 999, 1_000, 123_456, 1_234_567].map(formatCount).join(' ')).toBe(
    '0 999 1,000 123,456 1,234,567',
  );
});

test.runIf(hasBash)('a shell reads the words of a hint as they are, in one printed line', () => {
  const words = [
    'a b',
    `it's "q" $(touch x) \`y\` \\`,
    "new\nline's \\n",
    'tab\tx',
    'bidi\u202eb',
    'zero\u200bwidth',
    'tag\u{e0041}s',
    'filler\u3164x\ufe0f',
    '=eq',
    '~t',
    '',
    'ünï',
  ];
  const line = commandLine(words);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  expect(line).not.toMatch(/(^| )=/);
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], {
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] },
  });
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});

test('hidden characters of a file or a service are not printed, and are escaped in JSON', async () => {
  const hidden = [
    '\u200b',
    '\u{e0041}',
    '\u202e',
    '\ufeff',
    '\u00ad',
    '\u3164',
    '\ufe0f',
    '\u2060',
    '\u001b[2J',
    '\u2028',
  ];
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const own = Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout, stderr });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  const text = hidden.join('x');
  terminal.print(text);
  terminal.note(text);
  terminal.json = true;
  await terminal.report({ text }, () => []);
  const [printed = '', json = ''] = String(stdout.read()).trimEnd().split('\n');
  for (const line of [printed, json, String(stderr.read()).trimEnd()])
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Default_Ignorable_Code_Point}]/u);
  expect(JSON.parse(json)).toEqual({ text });
});

test('a second Ctrl-C ends the process; with --json there is an object, too', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const own = Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout, stderr, exit });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  terminal.json = true;
  const interrupt = terminal.catchInterrupt();
  own.emit('SIGINT');
  expect(interrupt.aborted).toBe(true);
  own.emit('SIGINT');
  expect(await exited).toBe(3);
  expect(JSON.parse(String(stdout.read()))).toEqual({
    error: { code: 'failed', message: expect.stringContaining('was not finished') },
  });
});

test('a terminal that closes may send SIGHUP twice, which is one interruption', async () => {
  const exit = vi.fn();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const own = Object.assign(new EventEmitter(), { ...streams, exit });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  const interrupt = terminal.catchInterrupt();
  own.emit('SIGHUP');
  expect(interrupt.reason).toBe('SIGHUP');
  own.emit('SIGHUP');
  await terminal.flush();
  expect([exit.mock.calls, streams.stderr.read()]).toEqual([[], null]);
});

test('a terminal without a size shows progress in lines, and tables in 80 columns', async () => {
  const sized = () => Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 });
  const [stdout, stderr] = [sized(), sized()];
  const own = Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout, stderr });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  let shown = '';
  for (const stream of [stdout, stderr])
    stream.on('data', (chunk: Buffer) => {
      shown += String(chunk);
    });
  const progress = await terminal.progress();
  await until('a line of progress', () => {
    progress.update(() => '3 of 5 rows');
    return shown.includes('3 of 5 rows\n');
  });
  progress.stop();
  (await terminal.screen())('a screen');
  await until('a screen', () => shown.includes('a screen\n'));
  const words = 'word '.repeat(30).trim();
  await terminal.fail(words);
  await until('an error', () => shown.endsWith('word\n'));
  expect(shown).toMatch(/^orders:( word){14}\n/m);
  expect(await terminal.table([[words]])).toHaveLength(2);
});

test('a note takes the place of the line of progress', async () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const own = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
  });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  const progress = await terminal.progress();
  await until('a line of progress', () => {
    progress.update(() => '3 of 5 rows');
    return stderr.readableLength > 0;
  });
  stderr.read();
  terminal.note('a note');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this erases a line
  expect(String(stderr.read())).toMatch(/\u001b\[2K.*a note\n$/s);
});

test.runIf(hasScript)(
  'on a terminal it shows progress, colours and questions in 80 columns, with NO_COLOR no colours, and obeys no name of a file',
  async () => {
    await using service = await startMockOrderService({ keys: [key], orders: ['ord_1', 'ord_2'] });
    service.faults.next('lostResponse', { token: 'ord_2' });
    const hidden = '\u001b]0;title\u0007\u001b[2J\u001b[8mhidden.json';
    const updates = createBulkFile(20, ['ord_1', 'ord_2']);
    await using folder = await createFolder({ 'updates.csv': updates, [hidden]: '{}' });
    const send = ['send', 'updates.csv'];
    const review = [...send, '--review'];
    const resolve = [...send, '--resolve', 'all'];
    const runs = await runOnTerminal(folder, [
      {
        words: [...send, '--rate', '30', '--base-url', service.url],
        env: { ORDERS_API_KEY: key },
      },
      { words: review },
      { words: ['validate', hidden] },
      { words: review, env: { NO_COLOR: '1' } },
      { words: resolve, typed: 'n\r' },
      { words: resolve, typed: 'y\r' },
    ]);
    expect(runs).toMatchObject([
      { code: 1, text: expect.stringMatching(/\d+ of 20 rows \(\d+ %\)/) },
      { code: 1, text: expect.stringContaining('\u001b[33munknown\u001b[39m') },
      { code: 1, text: expect.stringContaining('hidden.json') },
      { code: 1, text: expect.stringContaining('unknown') },
      { code: 3, text: expect.stringContaining('Nothing was changed.') },
      { code: 0, text: expect.stringContaining('Settled: 1 row.') },
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys, but for colours
    expect(runs[2]?.text).not.toMatch(/\u001b\]0|\u001b\[2J|\u001b\[8m|\u0007/);
    expect(runs[3]?.text).not.toContain('\u001b[33m');
    for (const { text } of runs) expect(widest(text)).toBeLessThan(81);
  },
  120_000,
);
