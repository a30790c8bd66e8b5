import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../.ci/start-quickly.ts';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningMerchant extends Disposable {
  /** Resolves with the first group of the pattern as soon as it was printed. */
  printed(pattern: RegExp): Promise<string>;
  kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves when the process has ended and its output is complete. */
  readonly ended: Promise<Ended>;
}

/** Runs the command as a person does, but from its sources. */
export function runMerchant(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningMerchant {
  const main = join(import.meta.dirname, '../server/main.ts');
  const { NO_COLOR: _, FORCE_COLOR: __, DATABASE_URL: ___, ...rest } = process.env;
  const child = spawn(process.execPath, [...quickly.flags, '--conditions=@orders/source', main, ...words], {
    env: { ...quickly.env, ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Longer than any test.
    timeout: 600_000,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  return {
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output.stdout);
        if (match) return match[1] ?? '';
        const isOver = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          ended.then(() => true),
        ]);
        if (isOver) throw new Error(`It ended without printing ${pattern}: ${JSON.stringify(output)}`);
      }
    },
    kill: (signal) => child.kill(signal),
    ended,
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

/** A folder that is deleted after the test. */
export async function makeTestFolder(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
