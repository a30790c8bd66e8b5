import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Command, endGroup } from './run-program.ts';

export interface StartOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Finds what it prints when it is ready. */
  readonly ready: RegExp;
}

export interface StartedProgram extends AsyncDisposable {
  /** All that it had printed when it was ready. */
  readonly printed: string;
}

const longestMs = 60_000;

/** Starts a program that goes on, and waits until it is ready. Disposing of it ends it and what it started. */
export async function startProgram(
  [program, ...args]: Command,
  { cwd, env, signal, ready }: StartOptions,
): Promise<StartedProgram> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    endGroup(child.pid);
    await ended;
  };
  let printed = '';
  const readiness = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (ready.test(printed)) readiness.resolve();
    });
  }
  const over = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  over.addEventListener('abort', () => readiness.reject(over.reason), { once: true });
  child.once('close', () => readiness.reject(new Error(`${args.join(' ')} ended: ${printed}`)));
  try {
    await readiness.promise;
    return { printed, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
