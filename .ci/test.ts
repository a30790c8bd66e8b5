/**
 * The test command: the build and the checks, of which turbo keeps what did not change, then every test, never from a cache;
 * then the totals alone on a line. Each test counts as one, and so does each task. `--all` (`pnpm test:all`) adds what
 * takes longer.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { runCommand } from './run-command.ts';

interface Report {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly testResults?: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

interface Summary {
  readonly tasks: readonly {
    readonly taskId: string;
    readonly execution?: { readonly exitCode: number | null };
  }[];
}

const root = join(import.meta.dirname, '..');
const runs = join(root, '.turbo/runs');
const report = join(root, '.turbo/vitest.json');
const checks = ['lint:ci', 'knip', 'typecheck', 'typecheck:node', 'check:api', 'check:packages'];
const longer = [
  'test:long',
  'interop',
  'runtimes',
  'consumers',
  'consumers release',
  'consumers broken',
  'chaos',
  'deliveries',
  'proxies',
  'late-bytes',
  'machines',
];
const failures: string[] = [];
let passed = 0;

// What an earlier run left must not count for this one.
for (const path of [runs, report]) rmSync(path, { recursive: true, force: true });

const args = process.argv.slice(2).filter((argument) => argument !== '--all');
// Not beside the tests: both use every processor, so together they take no less, and each test takes longer.
const turbo = [join(root, 'node_modules/turbo/bin/turbo'), 'run', 'build', ...checks];
const options = ['--continue', '--summarize', '--log-order=grouped', '--output-logs=new-only'];
const areTasksGood = await run(process.execPath, [...turbo, ...options, ...args]);

// Nothing of a person is read or written: HOME and the folder for temporary files are new, and empty again when tests end.
const own = mkdtempSync(join(tmpdir(), 'orders-test-'));
process.on('exit', () => rmSync(own, { recursive: true, force: true }));
const [home, temporary] = [join(own, 'home'), join(own, 'tmp')];
for (const folder of [home, temporary]) mkdirSync(folder);
// PostgreSQL does not run as root, and its own user must come through.
if (process.getuid?.() === 0) for (const folder of [own, temporary]) chmodSync(folder, 0o711);
const checkout = readCheckout();

// Tests compute more than they wait: more processes than these take longer, for their imports and for what they start.
const workers = `--maxWorkers=${availableParallelism() + 1}`;
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--mode=ci', workers];
// Chosen here, so that it is shown also where all tests pass.
const newSeed = String(Date.now() % 1_000_000_000);
process.stdout.write(`simulation: new seed ${newSeed}\n`);
// Vitest keeps a token of its own where XDG_DATA_HOME says.
const places = {
  XDG_DATA_HOME: join(own, 'data'),
  HOME: home,
  USERPROFILE: home,
  TMPDIR: temporary,
  TMP: temporary,
  TEMP: temporary,
  ORDERS_NEW_SEED: newSeed,
};
const isTested = await run(process.execPath, vitest, places);
for (const file of existsSync(runs) ? readdirSync(runs) : []) {
  const { tasks }: Summary = JSON.parse(readFileSync(join(runs, file), 'utf8'));
  for (const { taskId, execution } of tasks) count(taskId, execution?.exitCode === 0);
}
// Turbo may fail before it runs a task.
if (!areTasksGood && failures.length === 0) failures.push('turbo');
const {
  numPassedTests = 0,
  numFailedTests = 0,
  testResults = [],
}: Report = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
passed += numPassedTests;
// A run can fail without a failed test, for example when a file does not load.
for (let index = 0; index < (numFailedTests || (isTested ? 0 : 1)); index += 1) failures.push('vitest');
const left = [
  ...readdirSync(home).map((name) => `${name} in HOME`),
  ...readdirSync(temporary).map((name) => `${name} in the folder for temporary files`),
  ...[...readCheckout()]
    .filter((line) => !checkout.has(line) && !line.endsWith('.turbo/'))
    .map((line) => `${line.slice(3)} in the checkout`),
];
if (left.length > 0) failures.push(`tests left ${left.join(', ')}`);

if (process.argv.includes('--all')) {
  for (const script of longer) count(script, await run('pnpm', script.split(' ')));
}

const skipped = testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status !== 'passed' && status !== 'failed');
if (skipped.length > 0)
  process.stdout.write(`skipped: ${skipped.map(({ fullName }) => fullName).join('; ')}\n`);
const failed = failures.length;
if (failed > 0) process.stdout.write(`failed: ${[...new Set(failures)].join(', ')}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function count(name: string, isGood: boolean): void {
  if (isGood) passed += 1;
  else failures.push(name);
}

async function run(program: string, words: readonly string[], env?: NodeJS.ProcessEnv): Promise<boolean> {
  // Hundreds of processes import the same sources, and compiling them is most of what many of them do.
  const all = { NODE_COMPILE_CACHE: join(root, '.turbo/compiled'), ...env };
  return (await runCommand(program, words, all)) === 0;
}

/** What git sees of the checkout, what it ignores included; nothing where there is no git. */
function readCheckout(): ReadonlySet<string> {
  const { stdout } = spawnSync('git', ['status', '--porcelain', '--ignored'], {
    cwd: root,
    encoding: 'utf8',
  });
  return new Set((stdout ?? '').split('\n').filter((line) => line !== ''));
}
