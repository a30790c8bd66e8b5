import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
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
  join(programs, program),
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
  ['prints-anything.ts', 'healthy', { altered: 1, claimed: 1, unreadable: 4, no_report: 11, signal: 1 }],
])('%s is caught by %s', async ([program, name, wrong, words = withoutHurry]) => {
  const { code, report } = await judge([...words, '--case', name], commandOf(program));
  expect(report.wrong).toEqual(wrong);
  expect(report.cases[0].wrong).toHaveLength(Object.keys(wrong).length);
  expect(code).toBe(1);
});

test('a client that always says unknown settles nothing, which the report shows', async () => {
  const { report } = await judge(
    [...withoutHurry, '--case', 'healthy,refusal-400,reset-lost'],
    commandOf('says-unknown.ts'),
  );
  expect(report).toMatchObject({ settled: 0, unsettled: 33, wrong: {} });
});

const page = readFileSync(join(import.meta.dirname, '../../../apps/docs/pages/guides/judge.md'), 'utf8');
const has = (file: string) => spawnSync(file, ['--version'], { env }).status === 0;

test.for<[language: string, file: string, isThere: boolean, command: readonly string[]]>([
  ['python', 'client.py', has('python3'), ['python3']],
  ['sh', 'client.sh', has('curl') && process.platform !== 'win32', ['sh']],
])('the client of the page in %s passes', async ([language, name, isThere, command], { skip }) => {
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
});

test('prints a line for each case, the first update that is wrong, and the sums', async () => {
  const { code, stdout, stderr } = await runHere(
    ['judge', ...withoutHurry, '--case', 'healthy,applied-503', '--', ...commandOf('calls-503-a-refusal.ts')],
    { env },
  );
  expect(stdout).toBe(`true   healthy      12 of 12 settled
WRONG  applied-503  9 of 12 settled; 3 reported as rejected or not_sent, but
                    applied (first: ord_1-1)

2 cases, 24 updates: 21 settled, 0 not settled although the response was definite.
3 reported as rejected or not_sent, but applied
`);
  expect([code, stderr]).toEqual([1, '']);
});

test('a mistake is one line, and exits with 2; a program that cannot start, with 3', async () => {
  for (const [words, exitCode, message] of [
    [[], 2, 'Which program? Write its command after "--".'],
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

test('lists every case, and runs nothing', async () => {
  const { code, stdout } = await runHere(['judge', '--list']);
  expect(code).toBe(0);
  expect(stdout).toContain('reset-applied     a reset after the request; applied\n');
});
