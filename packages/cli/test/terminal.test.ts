import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { commandLine, createTerminal } from '../src/terminal.ts';
import { createBulkFile } from './bulk-file.ts';
import { createFolder, type Folder } from './run-orders.ts';

const key = 'sk_test_4f1b9c27';
const main = join(import.meta.dirname, '../src/main.ts');
/** The `script` of util-linux runs a command on a terminal of its own. */
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** Runs the command on a terminal of 80 columns, and types at its first question. */
async function runOnTerminal(
  words: string,
  { folder, env = {}, typed = '' }: { folder: Folder; env?: Record<string, string>; typed?: string },
): Promise<{ readonly text: string; readonly code: number | null }> {
  const program = [process.execPath, ...quickly.flags, '--conditions=@orders/source', main].join(' ');
  const command = `stty cols 80 rows 24; exec ${program} ${words}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...quickly.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  let text = '';
  let hasTyped = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk);
    if (hasTyped || !text.includes('(y/N)')) return;
    hasTyped = true;
    child.stdin.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { text, code };
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

test.runIf(hasBash)('a shell reads the words of a hint as they are, in one printed line', () => {
  const words = [
    'a b',
    `it's "q" $(touch x) \`y\` \\`,
    "new\nline's \\n",
    'tab\tx',
    'bidi\u202eb',
    '=eq',
    '~t',
    '',
    'ünï',
  ];
  const line = commandLine(words);
  expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  expect(line).not.toMatch(/(^| )=/);
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], {
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] },
  });
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
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

test.runIf(hasScript)(
  'on a terminal it shows progress, colours and questions in 80 columns, and with NO_COLOR no colours',
  async () => {
    await using service = await startMockOrderService({ keys: [key], orders: ['ord_1', 'ord_2'] });
    service.faults.next('lostResponse', { token: 'ord_2' });
    await using folder = await createFolder({ 'updates.csv': createBulkFile(40, ['ord_1', 'ord_2']) });
    const env = { ORDERS_API_KEY: key, ORDERS_BASE_URL: service.url };
    const sent = await runOnTerminal('send updates.csv --rate 60', { folder, env });
    expect(sent.code).toBe(1);
    expect(sent.text).toMatch(/\d+ of 40 rows \(\d+ %\)/);

    const review = await runOnTerminal('send updates.csv --review', { folder });
    expect(review).toMatchObject({ code: 1, text: expect.stringContaining('\u001b[33munknown\u001b[39m') });
    const plain = await runOnTerminal('send updates.csv --review', { folder, env: { NO_COLOR: '1' } });
    expect(plain.text).toContain('unknown');
    expect(plain.text).not.toContain('\u001b[33m');

    const refused = await runOnTerminal('send updates.csv --resolve all', { folder, typed: 'n\r' });
    expect(refused).toMatchObject({ code: 3, text: expect.stringContaining('Nothing was changed.') });
    const resolved = await runOnTerminal('send updates.csv --resolve all', { folder, typed: 'y\r' });
    expect(resolved).toMatchObject({ code: 0, text: expect.stringContaining('Settled: 1 row.') });
    for (const { text } of [sent, review, plain, refused, resolved]) expect(widest(text)).toBeLessThan(81);
  },
  120_000,
);

test.runIf(hasScript)(
  'the name of a file cannot control the terminal',
  async () => {
    await using folder = await createFolder({ '\u001b]0;title\u0007\u001b[2J\u001b[8mhidden.json': '{}' });
    const { text } = await runOnTerminal('validate *.json', { folder });
    expect(text).toContain('hidden.json');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys, but for colours
    expect(text).not.toMatch(/\u001b\]0|\u001b\[2J|\u001b\[8m|\u0007/);
  },
  60_000,
);
