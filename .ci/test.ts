/**
 * Runs every check of the repository through turbo and ends with the totals alone on a line.
 * A vitest run counts each of its tests; every other task (a build, a type check, the linter) counts as one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const runs = join(root, '.turbo', 'runs');
const tasks = ['lint', 'unused', 'build', 'types', 'test', 'test:chaos', 'examples', 'packed'];
/** Tasks that run tests, and the report that each leaves in its folder. */
const reports: Readonly<Record<string, string>> = {
  test: 'vitest.json',
  'test:chaos': 'vitest-chaos.json',
  examples: 'vitest.json',
};

interface Task {
  readonly taskId: string;
  readonly task: string;
  readonly directory: string;
  readonly execution: { readonly exitCode: number | null };
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
}

rmSync(runs, { recursive: true, force: true });
// A report of an earlier run must not count for a run that wrote none.
removeReports('.');
for (const home of ['packages', 'apps']) {
  for (const name of readdirSync(join(root, home))) removeReports(join(home, name));
}

// More tasks at once than this get in each other's way on two cores, and tests that watch a clock fail.
// What begins first, turbo.json says.
const options = [
  '--concurrency=3',
  '--continue',
  '--summarize',
  '--log-order=grouped',
  '--output-logs=new-only',
];
// Not by its name, which Windows knows as a script of its shell alone.
const program = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
const turbo = spawn(process.execPath, [program, 'run', ...tasks, ...options, ...process.argv.slice(2)], {
  cwd: root,
  // Hundreds of processes import the same sources, and compiling them is most of what many of them do.
  env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.turbo', 'compiled') },
  stdio: 'inherit',
});
const [exitCode]: (number | null)[] = await once(turbo, 'exit');

const counted = readTasks().map((task) => ({ task, ...countTask(task) }));
const passed = counted.reduce((sum, count) => sum + count.passed, 0);
// Turbo may fail before it runs a task.
const failed = counted.reduce((sum, count) => sum + count.failed, 0) || (exitCode === 0 ? 0 : 1);
for (const { task, failed } of counted) if (failed > 0) process.stdout.write(`failed: ${task.taskId}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function readTasks(): readonly Task[] {
  const [summary] = existsSync(runs) ? readdirSync(runs) : [];
  return summary === undefined ? [] : JSON.parse(readFileSync(join(runs, summary), 'utf8')).tasks;
}

function countTask({ task, directory, execution }: Task): Totals {
  const succeeded = execution?.exitCode === 0;
  const name = reports[task];
  if (name === undefined) return succeeded ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const report = reportOf(directory, name);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  // A run can fail without a failed test, for example when a file does not load.
  return { passed: numPassedTests, failed: numFailedTests || (succeeded ? 0 : 1) };
}

function removeReports(directory: string): void {
  for (const name of new Set(Object.values(reports))) rmSync(reportOf(directory, name), { force: true });
}

function reportOf(directory: string, name: string): string {
  return join(root, directory, '.turbo', name);
}
