/**
 * Runs commands one after another while each succeeds: `node .ci/in-turn.ts turbo run build --then node app.js`. A signal
 * ends the command that runs, whatever that exits with, and no other begins: turbo exits with 0 when it is interrupted, so
 * `turbo && node` would go on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

const isWindows = process.platform === 'win32';
/** Turbo collects usage data otherwise. */
const env = { ...process.env, DO_NOT_TRACK: '1' };
let running: ChildProcess | undefined;
let endedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    endedBy ??= signal;
    if (running) send(running, signal);
  });
}

for (const [program = '', ...words] of commandsOf(process.argv.slice(2))) {
  const exitCode = await run(program, words);
  if (endedBy !== undefined) process.exit(128 + constants.signals[endedBy]);
  if (exitCode !== 0) process.exit(exitCode);
}

function commandsOf(words: readonly string[]): readonly (readonly string[])[] {
  const end = words.indexOf('--then');
  return end < 0 ? [words] : [words.slice(0, end), ...commandsOf(words.slice(end + 1))];
}

/** Runs a command in a process group of its own, so that a Ctrl-C of the terminal reaches it once, through this process. */
function run(program: string, words: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'inherit', detached: !isWindows, shell: isWindows, env });
    running = child;
    child.once('error', (error) => {
      process.stderr.write(`${program} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

function send({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || isWindows) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
