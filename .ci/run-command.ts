import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

const isWindows = process.platform === 'win32';
let running: ChildProcess | undefined;
let endedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    endedBy ??= signal;
    if (running) send(running, signal);
    else process.exit(128 + constants.signals[signal]);
  });
}

/**
 * Runs a command and resolves with its exit code. A signal to this process ends the command, and then this process, whatever
 * the command exits with: turbo exits with 0 when it is interrupted, so what comes after it would begin.
 *
 * The command has a process group of its own, so that a Ctrl-C of the terminal reaches it once, through this process.
 */
export async function runCommand(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const exitCode = await new Promise<number>((resolve) => {
    const child = spawn(program, words, {
      stdio: 'inherit',
      detached: !isWindows,
      shell: isWindows,
      // Turbo collects usage data otherwise.
      env: { ...process.env, DO_NOT_TRACK: '1', ...env },
    });
    running = child;
    child.once('error', (error) => {
      process.stderr.write(`${program} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  running = undefined;
  if (endedBy !== undefined) process.exit(128 + constants.signals[endedBy]);
  return exitCode;
}

function send({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || isWindows) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
