import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { quickly } from '../../../.ci/start-quickly.ts';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningMerchant extends Disposable {
  /** Resolves with the match as soon as what was printed holds one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves when the process has ended and its output is complete. */
  readonly ended: Promise<Ended>;
}

/** Runs the app as a person does, but from its sources. */
export function runMerchant(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningMerchant {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const { NO_COLOR: _, FORCE_COLOR: __, DATABASE_URL: ___, ...rest } = process.env;
  const child = spawn(process.execPath, [...quickly.flags, '--conditions=@orders/source', main, ...words], {
    env: { ...quickly.env, ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));

  return {
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output.stdout);
        if (match) return match;
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
