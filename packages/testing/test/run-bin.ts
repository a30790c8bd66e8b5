import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../src/bin/orders-service.ts', import.meta.url));

export interface RunningBin extends AsyncDisposable {
  readonly child: ChildProcess;
  /** All of stdout so far, once it matches; rejects when the process ends before. */
  printed(pattern: RegExp): Promise<string>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts the bin from its source, as its own process. */
export function runBin(words: readonly string[], env: Readonly<Record<string, string>> = {}): RunningBin {
  const child = spawn(process.execPath, ['--conditions=@orders/source', BIN, ...words], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += String(chunk);
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    printed(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(stdout)) resolve(stdout);
        };
        child.stdout.on('data', look);
        child.once('close', () => reject(new Error(`The bin ended before it printed ${pattern}: ${stderr}`)));
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
