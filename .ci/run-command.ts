import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

const isWindows = process.platform === 'win32';
let running: ChildProcess | undefined;
let endedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));

// A SIGTERM to npx alone ends npx and its shell, while pnpm and its script go on.
const npx = findNpx();
if (npx !== undefined) {
  const timer = setInterval(() => {
    if (isRunning(npx)) return;
    clearInterval(timer);
    end('SIGTERM');
  }, 1_000).unref();
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
    child.once('close', (code, signal) => {
      running = undefined;
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
  if (endedBy === undefined) return exitCode;
  process.exit(128 + constants.signals[endedBy]);
}

function end(signal: NodeJS.Signals): void {
  endedBy ??= signal;
  if (running) send(running, signal);
  else process.exit(128 + constants.signals[signal]);
}

/** The npx that started this process, by way of pnpm and shells. */
function findNpx(): number | undefined {
  if (isWindows || !process.env['npm_execpath']?.includes('/_npx/')) return undefined;
  try {
    const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
    const rows = new Map(
      [...list.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, pid, parent, args = '']) => [
        Number(pid),
        { parent: Number(parent), args },
      ]),
    );
    for (let pid = process.ppid, row = rows.get(pid); row; pid = row.parent, row = rows.get(pid))
      if (/^npm exec /.test(row.args)) return pid;
  } catch {
    // There is no `ps` that knows these options.
  }
  return undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function send({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || isWindows) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
