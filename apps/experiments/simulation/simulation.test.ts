import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** The test command prints it. */
const newSeed = process.env['ORDERS_NEW_SEED'] ?? String(Date.now() % 1_000_000_000);

/** Runs a program of this folder in a process of its own, whose time is not that of the tests. */
async function run(
  program: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly lines: string[] }> {
  const words = ['--conditions=@orders/source', join(import.meta.dirname, program), ...args];
  const { code, stdout } = await promisify(execFile)(process.execPath, words, { cwd: root }).then(
    (output) => ({ ...output, code: 0 }),
    (failure) => failure,
  );
  return { code, lines: stdout.trim().split('\n') };
}

/** The first run of each seed. */
const firstRuns = (...seeds: string[]) =>
  run('main.ts', ...seeds.flatMap((seed) => ['--seed', seed]), '--steps', '1');

test.concurrent('keeps every promise while all fails, twice the same', async () => {
  const { code, lines } = await firstRuns('1', '1');
  expect({ code, lines }).toMatchObject({ code: 0, lines: [1, 2].map(() => expect.any(String)) });
  const [first, again] = lines.map((line) => line.split(';')[0]);
  expect(again).toBe(first);
});

test.concurrent(`keeps every promise from a new seed: ${newSeed}`, async () => {
  const { code, lines } = await firstRuns(newSeed);
  expect({ code, lines }).toMatchObject({ code: 0, lines: [expect.any(String)] });
});

test.concurrent('finds that an update is sent before its mark is committed', async () => {
  const mutation = 'an update is sent before its mark is committed';
  const { code, lines } = await run('main.ts', '--mutation', mutation, '--seed', '1', '--steps', '100');
  expect({ code, lines }).toMatchObject({
    code: 1,
    lines: expect.arrayContaining([expect.stringMatching(/breaks a promise\. marked at/)]),
  });
});

test.concurrent('asks the database at most three times a second while it is idle', async () => {
  const { code, lines } = await run('idle.ts');
  expect(code).toBe(0);
  expect(Number(lines[0])).toBeGreaterThan(1);
  expect(Number(lines[0])).toBeLessThanOrEqual(3);
});
