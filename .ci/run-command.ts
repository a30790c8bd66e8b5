import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import process from 'node:process';

const isWindows = process.platform === 'win32';
const running = new Set<ChildProcess>();
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

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly output?: 'inherit' | 'later';
}

/**
 * Runs a command and resolves with its exit code. A signal to this process ends the command, and then this process, whatever
 * the command exits with: turbo exits with 0 when it is interrupted, so what comes after it would begin.
 *
 * The command has a process group of its own, so that a Ctrl-C of the terminal reaches it once, through this process.
 *
 * @param output `inherit` shows at once what it prints, `later` when it has ended, for one that runs beside another, which it
 *   leaves the processor to.
 */
export async function runCommand(
  program: string,
  words: readonly string[],
  { env = {}, output = 'inherit' }: RunOptions = {},
): Promise<number> {
  const exitCode = await new Promise<number>((resolve) => {
    const child = spawn(program, words, {
      stdio: [
        'inherit',
        ...(output === 'inherit' ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const)),
      ],
      detached: !isWindows,
      shell: isWindows,
      // Turbo collects usage data otherwise.
      env: { ...process.env, DO_NOT_TRACK: '1', ...env },
    });
    running.add(child);
    // What it starts inherits it.
    if (output === 'later' && child.pid !== undefined)
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const printed: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    child.once('error', (error) => {
      process.stderr.write(`${program} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      process.stdout.write(Buffer.concat(printed));
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
  if (endedBy === undefined) return exitCode;
  if (running.size === 0) process.exit(128 + constants.signals[endedBy]);
  // The last one that ends takes this process along.
  return new Promise(() => {});
}

function end(signal: NodeJS.Signals): void {
  endedBy ??= signal;
  for (const child of running) send(child, signal);
  if (running.size === 0) process.exit(128 + constants.signals[signal]);
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
