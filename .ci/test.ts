/**
 * The test command: the checks through turbo, which keeps what did not change; then every test, never from a cache; then
 * the totals alone on a line. Each test counts as one, and so does each task. `--all` (`pnpm test:all`) adds what takes longer.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

interface Task {
  readonly taskId: string;
  readonly execution?: { readonly exitCode: number | null };
}

const root = join(import.meta.dirname, '..');
const runs = join(root, '.turbo/runs');
const report = join(root, '.turbo/vitest.json');
const checks = ['lint:ci', 'knip', 'build', 'typecheck', 'typecheck:node', 'check:api', 'check:packages'];
const longer = [
  'test:long',
  'interop',
  'runtimes',
  'consumers',
  'consumers release',
  'consumers broken',
  'chaos',
  'proxies',
  'late-bytes',
];
const failures: string[] = [];
let passed = 0;

// What an earlier run left must not count for this one.
for (const path of [runs, report]) rmSync(path, { recursive: true, force: true });

const args = process.argv.slice(2).filter((argument) => argument !== '--all');
const turbo = [
  'run',
  ...checks,
  '--continue',
  '--summarize',
  '--log-order=grouped',
  '--output-logs=new-only',
];
const isChecked = run(process.execPath, [join(root, 'node_modules/turbo/bin/turbo'), ...turbo, ...args]);
const [summary] = existsSync(runs) ? readdirSync(runs) : [];
const tasks: readonly Task[] = summary ? JSON.parse(readFileSync(join(runs, summary), 'utf8')).tasks : [];
for (const { taskId, execution } of tasks) count(taskId, execution?.exitCode === 0);
// Turbo may fail before it runs a task.
if (!isChecked && failures.length === 0) failures.push('turbo');

// Tests wait for sockets, databases and browsers as much as they compute.
const workers = `--maxWorkers=${Math.max(4, availableParallelism())}`;
const isTested = run(process.execPath, [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--mode=ci',
  workers,
]);
const { numPassedTests = 0, numFailedTests = 0 } = existsSync(report)
  ? JSON.parse(readFileSync(report, 'utf8'))
  : {};
passed += numPassedTests;
// A run can fail without a failed test, for example when a file does not load.
for (let index = 0; index < (numFailedTests || (isTested ? 0 : 1)); index += 1) failures.push('vitest');

if (process.argv.includes('--all')) {
  for (const script of longer) count(script, run(`pnpm ${script}`, [], true));
}

const failed = failures.length;
if (failed > 0) process.stdout.write(`failed: ${[...new Set(failures)].join(', ')}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function count(name: string, isGood: boolean): void {
  if (isGood) passed += 1;
  else failures.push(name);
}

function run(program: string, words: readonly string[], shell = false): boolean {
  // Hundreds of processes import the same sources, and compiling them is most of what many of them do. Turbo collects usage
  // data unless it is told not to.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, '.turbo/compiled'), DO_NOT_TRACK: '1' };
  return spawnSync(program, words, { cwd: root, env, stdio: 'inherit', shell }).status === 0;
}
