import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../../.ci/start-quickly.ts';

const bin = join(import.meta.dirname, '../../src/bin/orders-outbox.ts');

/** How a run of the bin ended. */
interface EndedBin {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The bin as a process of its own. */
export interface RunningBin extends AsyncDisposable {
  readonly child: ChildProcess;
  /** All of stdout so far, once it matches; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<string>;
  readonly ended: Promise<EndedBin>;
}

/** Starts the bin from its source. It is killed after a while, so that no test waits for it for ever. */
export function runOutboxBin(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  output: 'pipe' | number = 'pipe',
): RunningBin {
  const child = spawn(process.execPath, [...quickly.flags, '--conditions=@orders/source', bin, ...words], {
    env: { PATH: process.env['PATH'], ...quickly.env, ...env },
    stdio: ['ignore', output, output],
    timeout: 45_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += String(chunk);
  });
  const ended = new Promise<EndedBin>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stdout)) resolve(stdout);
        };
        child.stdout?.on('data', look);
        child.once('close', () => reject(new Error(`It ended before it printed ${pattern}: ${stderr}`)));
        look();
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
