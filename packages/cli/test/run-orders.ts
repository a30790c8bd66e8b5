import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { quickly } from '../../../.ci/start-quickly.ts';

const main = join(import.meta.dirname, '../src/main.ts');

/** How a run of the command ended. */
export interface EndedRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command as a process of its own. */
export interface RunningOrders extends AsyncDisposable {
  readonly child: ChildProcess;
  /** What it printed so far, once that matches; rejects when it ends before. */
  printed(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<string>;
  readonly ended: Promise<EndedRun>;
}

export interface RunOptions {
  /** Where it runs. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file that it prints to. */
  readonly output?: number;
}

/** Starts the command from its source. It is killed after a while, so that no test hangs. */
export function startOrders(
  words: readonly string[],
  { cwd, env = {}, output = -1 }: RunOptions,
): RunningOrders {
  const child = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', main, ...withoutHurry(words)],
    {
      cwd,
      env: { PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'], ...quickly.env, ...env },
      stdio: ['ignore', output < 0 ? 'pipe' : output, 'pipe'],
      timeout: 600_000,
      killSignal: 'SIGKILL',
    },
  );
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      text[stream] += String(chunk);
    });
  const ended = new Promise<EndedRun>((resolve) => {
    child.once('close', (code) => resolve({ code, ...text, stderr: withoutWaits(text.stderr) }));
  });
  return {
    child,
    ended,
    printed: (pattern, stream = 'stdout') =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(text[stream])) resolve(text[stream]);
        };
        child[stream]?.on('data', look);
        child.once('close', () =>
          reject(new Error(`It ended before it printed ${pattern}: ${text.stdout}${text.stderr}`)),
        );
        look();
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const connecting = ['check', 'update', 'send'];

/** The words with a time limit that only a test of time limits reaches, on a machine however slow. */
export function withoutHurry(words: readonly string[]): readonly string[] {
  const [command = ''] = words;
  return connecting.includes(command) ? [command, '--timeout', '1h', ...words.slice(1)] : words;
}

/** Leaves out the lines that come only where a machine takes long. */
export function withoutWaits(text: string): string {
  return text.replace(
    /^(?:Waiting for .* …|Checking .*|Judging .*|[\d,]+ of [\d,]+ (?:rows? \(.*|deliveries))\n/gm,
    '',
  );
}

export async function runOrders(words: readonly string[], options: RunOptions): Promise<EndedRun> {
  await using running = startOrders(words, options);
  return await running.ended;
}

/** A folder of a test, with files. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  file(name: string): string;
}

export async function createFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'orders-cli-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Waits until a condition holds. A machine may be busy with other tests. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + insideTestLimitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`It never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
