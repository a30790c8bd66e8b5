import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../.ci/start-quickly.ts';

/** An example in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** Everything that it has written to stdout and stderr so far. */
  readonly printed: () => string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

/** Variables of the environment; one that is `undefined` is not set. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Runs an example as its reader does: with its configuration in the environment. */
export function startProgram(file: string, env: Env): Program {
  const child = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', join(import.meta.dirname, '..', file)],
    {
      env: { ...quickly.env, ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ends what a killed test leaves behind; each test has its own limit.
      timeout: 600_000,
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return { child, printed: () => text, ended: once(child, 'close').then(([code]) => code) };
}

/** A server that an example runs. */
export interface ServerProgram extends Program, AsyncDisposable {
  readonly url: string;
}

/** Starts an example that serves on a free port of this machine. */
export async function startServer(file: string, env: Env): Promise<ServerProgram> {
  const program = startProgram(file, { ...env, PORT: '0' });
  const stop = async () => {
    program.child.kill('SIGKILL');
    await program.ended;
  };
  for await (const _ of program.child.stdout ?? []) {
    const port = /port: (\d+)/.exec(program.printed())?.[1];
    if (port) return { ...program, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
  }
  throw new Error(`${file} ended before it listened: ${program.printed()}`);
}
