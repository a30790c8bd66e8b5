import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { quickly } from '../../../.ci/start-quickly.ts';
import { runHere, startHere } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';

const programs = join(import.meta.dirname, '../test/judge');
const env = { PATH: process.env['PATH'] ?? '', ...quickly.env };
/** No attempt of a program ends early, however slow the machine. */
const withoutHurry = ['--timeout', '10m', '--limit', '60m'];

const commandOf = (program: string): readonly string[] => [
  process.execPath,
  ...quickly.flags,
  '--conditions=@orders/source',
  ...program.split(' ').map((word, place) => (place === 0 ? join(programs, word) : word)),
];

async function judge(words: readonly string[], command: readonly string[]) {
  const { code, stdout, stderr } = await runHere(['judge', '--json', ...words, '--', ...command], { env });
  return { code, stderr, report: JSON.parse(stdout) };
}

test('a client whose reports are true passes, and is credited with all that was definite', async () => {
  const cases = ['healthy', 'reset-applied', 'truncated-200', 'page-200', 'refusal-400', 'applied-503'];
  const { code, report } = await judge([...withoutHurry, '--case', cases.join()], commandOf('ours.ts'));
  expect(report).toMatchObject({ updates: 72, settled: 63, unsettled: 0, wrong: {} });
  expect(report.cases.map(({ name }: { name: string }) => name)).toEqual(cases);
  expect(code).toBe(0);
});

test.concurrent.for<[program: string, name: string, wrong: object, words?: readonly string[]]>([
  ['resends-after-reset.ts', 'reset-applied', { applied_twice: 3 }],
  ['resends-after-timeout.ts', 'stalled-200', { applied_twice: 3 }],
  ['retries-server-errors.ts', 'timeout-408', { applied_twice: 3 }],
  ['retries-server-errors.ts', 'failed-500', { applied_twice: 3 }],
  ['calls-503-a-refusal.ts', 'applied-503', { denied: 3 }],
  ['rejects-what-it-cannot-read.ts', 'truncated-200', { denied: 3 }],
  ['trusts-any-200.ts', 'page-200', { claimed: 3 }],
  ['follows-redirects.ts', 'redirect-307', { claimed: 3, key_elsewhere: 3 }],
  ['reports-first.ts', 'refusal-400', { claimed: 3, late: 12 }],
  ['requeues-429.ts', 'limited', { overtaken: 3 }],
  ['knows-two-outcomes.ts', 'reset-applied', { error: 3 }],
  ['has-no-timeout.ts', 'stalled', { hung: 1, no_report: 12 }, ['--limit', '1s']],
  ['prints-anything.ts', 'healthy', { altered: 2, claimed: 1, unreadable: 4, no_report: 11, signal: 1 }],
  ['says-unknown.ts', 'healthy', { doubted: 12 }],
  ['says-unknown.ts', 'reset-lost', { doubted: 9 }],
  ['cuts-off.ts', 'healthy', { not_applied: 12 }],
  ['never-sends.ts', 'healthy', { not_applied: 12 }],
  ['never-sends.ts', 'reset-lost', { not_applied: 12 }],
  ['sends-amiss.ts key', 'no-content', { not_applied: 12 }],
  ['sends-amiss.ts type', 'page-200', { not_applied: 12 }],
  ['sends-amiss.ts method', 'no-content', { not_applied: 12 }],
  ['sends-amiss.ts path', 'no-content', { not_applied: 12 }],
  ['sends-amiss.ts key later', 'lost-503', { not_applied: 9 }],
])('%s is caught by %s', async ([program, name, wrong, words = withoutHurry]) => {
  const { code, report } = await judge([...words, '--case', name], commandOf(program));
  expect(report.wrong).toEqual(wrong);
  expect(report.cases[0].wrong).toHaveLength(Object.keys(wrong).length);
  expect(code).toBe(1);
});

test('a client that holds an order back after an update in doubt, and all of them after a 429, passes', async () => {
  const cases = 'refused,reset-lost,limited,applied-503';
  const { report } = await judge([...withoutHurry, '--case', cases], commandOf('holds-back.ts'));
  expect(report).toMatchObject({ updates: 48, settled: 42, applied: 3, unsettled: 0, wrong: {} });
});

test('requests that would be refused without a fault come first, by their status', async () => {
  const words = ['judge', ...withoutHurry, '--case', 'no-content', '--', ...commandOf('sends-amiss.ts key')];
  const { stdout } = await runHere(words, { env });
  expect(stdout.replace(/\s+/g, ' ')).toBe(
    'WRONG no-content 12 invalid requests (status 401); 0 of 12 settled, 0 applied; ' +
      '12 updates not applied, although no fault was in the way (not_applied; first: ord_1-1) ' +
      '1 case, 12 updates: 0 settled, 0 applied, 0 unsettled. ' +
      '12 updates not applied, although no fault was in the way (not_applied) ',
  );
});

test.for<[reason: string, ...lines: readonly string[]]>([
  ['not JSON: sent', 'sent'],
  ['no such id: {"id":"none","ok":true}', '{"id":"none","ok":true}'],
  [
    'unknown outcome: {"id":"ord_1-1","outcome":"done","ok":true}',
    '{"id":"ord_1-1","outcome":"done","ok":true}',
  ],
  [
    'a second report: {"id":"ord_1-1","ok":true}',
    '{"id":"ord_1-1","ok":false}',
    '{"id":"ord_1-1","ok":true}',
  ],
])('a line that is no report is shown with its reason: %s', async ([first, ...lines]) => {
  const program = `console.log(${JSON.stringify(lines.join('\r\n'))})`;
  const { report } = await judge([...withoutHurry, '--case', 'healthy'], [process.execPath, '-e', program]);
  expect(report.cases[0].wrong).toContainEqual({ kind: 'unreadable', count: 1, first });
});

test('what is shown of a line holds no part of the key', async () => {
  const { report } = await judge([...withoutHurry, '--case', 'healthy'], commandOf('prints-anything.ts'));
  expect(report.cases[0].wrong).toContainEqual({
    kind: 'unreadable',
    count: 4,
    first: `not JSON: ${'-'.repeat(60)}[secret]`,
  });
  expect(report.cases[0].wrong).toContainEqual({ kind: 'altered', count: 2, first: 'ord_1-1' });
});

test('a program that reports nothing is shown with its exit code', async () => {
  const words = ['judge', ...withoutHurry, '--orders', '1', '--case', 'healthy', '--'];
  const { stdout } = await runHere([...words, process.execPath, '-e', 'process.exit(2)'], { env });
  expect(stdout).toContain('0 of 4 settled, 0 applied; exited with 2; 4 updates without a\n');
});

test('a client that says unknown of a definite refusal has not settled it, which the report shows', async () => {
  const { report } = await judge([...withoutHurry, '--case', 'refusal-400'], commandOf('says-unknown.ts'));
  expect(report).toMatchObject({ settled: 0, knowable: 12, unsettled: 3, wrong: { doubted: 9 } });
});

const page = readFileSync(join(import.meta.dirname, '../../../apps/docs/pages/guides/judge.md'), 'utf8');
const has = (file: string) => spawnSync(file, ['--version'], { env }).status === 0;

test.for<[language: string, file: string, isThere: boolean, command: readonly string[]]>([
  ['python', 'client.py', has('python3'), ['python3']],
  ['sh', 'client.sh', has('curl') && process.platform !== 'win32', ['sh']],
])('the client of the page in %s passes, and keeps a limit below 1 s', async (given, { skip }) => {
  const [language, name, isThere, command] = given;
  if (!isThere) return skip(`needs ${language === 'sh' ? 'curl' : 'python3'}`);
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n(?=#)(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  await using folder = await createFolder({ [name]: code });
  const cases =
    'refused,reset-applied,truncated-200,page-200,redirect-307,refusal-400,timeout-408,applied-503';
  const { report } = await judge(
    [...withoutHurry, '--orders', '1', '--case', cases],
    [...command, folder.file(name)],
  );
  expect(report).toMatchObject({ updates: 32, settled: 27, unsettled: 0, wrong: {} });
  // Without a limit it would wait for a response that never comes.
  const brief = ['--timeout', '500ms', '--limit', '60m', '--orders', '1', '--case', 'stalled'];
  expect((await judge(brief, [...command, folder.file(name)])).report.wrong).not.toHaveProperty('hung');
});

test('prints a line for each case, the first update that is wrong, and the sums', async () => {
  const { code, stdout, stderr } = await runHere(
    ['judge', ...withoutHurry, '--case', 'healthy,applied-503', '--', ...commandOf('calls-503-a-refusal.ts')],
    { env },
  );
  expect(stdout).toBe(`true   healthy      12 of 12 settled, 12 applied
WRONG  applied-503  9 of 12 settled (9 knowable), 12 applied; 3 updates reported
                    as rejected or not_sent, but applied (denied; first:
                    ord_1-1)

2 cases, 24 updates: 21 settled (21 knowable), 24 applied, 0 unsettled.
3 updates reported as rejected or not_sent, but applied (denied)
`);
  expect([code, stderr]).toEqual([1, '']);
});

test('a mistake is one line, and exits with 2; a program that cannot start, with 3', async () => {
  for (const [words, exitCode, message] of [
    [[], 2, 'Which program? Write its command after "--".'],
    [
      ['node', 'client.js', '--watch'],
      2,
      `unknown option '--watch'. Write the program's command after "--".`,
    ],
    [['--case', 'none', '--', 'true'], 2, '--case: there is no case "none"; --list has them.'],
    [['--', 'no-such-program'], 3, 'Cannot run "no-such-program": spawn no-such-program ENOENT.'],
  ] as const) {
    const { code, stdout, stderr } = await runHere(['judge', ...words], { env });
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(message)]);
  }
});

test.skipIf(process.platform === 'win32')('Ctrl-C kills the program and all that it started', async () => {
  // While the second process lives, it holds the output, and the judge waits.
  const words = [
    '--limit',
    '60m',
    '--case',
    'healthy',
    '--',
    'sh',
    '-c',
    'sleep 3000 & echo ready >&2; wait',
  ];
  await using running = startHere(['judge', ...words], { env });
  await running.printed(/ready/, 'stderr');
  running.signal('SIGINT');
  expect(await running.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('Interrupted') });
});

test('Ctrl-C while a case starts keeps the program from starting', async () => {
  const program = [process.execPath, '-e', 'console.error("started")'];
  const running = startHere(['judge', '--case', 'healthy', '--limit', '60m', '--', ...program], { env });
  running.signal('SIGINT');
  expect(await running.ended).toEqual({
    code: 3,
    stdout: '',
    stderr: 'orders: Interrupted: the program was killed.\n',
  });
});

/** A program that ends at once, and leaves a process of another group that keeps its output open until it is killed. */
const leaving = [
  process.execPath,
  '-e',
  `const holder = 'console.error("held by " + process.pid); setInterval(() => {}, 60_000)';
require('node:child_process').spawn(process.execPath, ['-e', holder], { detached: true, stdio: 'inherit' }).unref();`,
];

function endHolder(stderr: string): void {
  const [, pid] = /held by (\d+)/.exec(stderr) ?? [];
  if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
}

test.skipIf(process.platform === 'win32')(
  'after the limit, and after Ctrl-C, it waits for nothing that holds the output of the program',
  async () => {
    const { report, stderr } = await judge(['--case', 'healthy', '--limit', '2s'], leaving);
    onTestFinished(() => endHolder(stderr));
    expect(report.wrong).toEqual({ hung: 1, no_report: 12 });

    const words = ['judge', '--case', 'healthy', '--limit', '60m', '--', ...leaving];
    await using running = startHere(words, { env });
    const held = await running.printed(/held by \d+\n/, 'stderr');
    onTestFinished(() => endHolder(held));
    running.signal('SIGINT');
    expect(await running.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('Interrupted') });
  },
);

test('lists every case, and runs nothing', async () => {
  const { code, stdout } = await runHere(['judge', '--list']);
  expect(code).toBe(0);
  expect(stdout).toContain('reset-applied     a reset after the request; applied\n');
});
