import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Column } from './columns.ts';
import type { Places } from './context.ts';

const run = promisify(execFile);

/** Keeps runtimes from asking for news, telling of use, or writing outside this folder. */
const quiet = {
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  DENO_NO_UPDATE_CHECK: '1',
  DENO_DIR: join(import.meta.dirname, 'node_modules', '.cache', 'deno'),
};

/** Runs the suite in a runtime that is a program of its own, and gives its lines of output. */
export async function runInProcess(
  { command, entry }: Column,
  places: Places,
  signal: AbortSignal,
): Promise<string> {
  const [program = '', ...flags] = command;
  const specifier = entry === 'main' ? '@orders/client' : '@orders/client/fetch';
  const child = fileURLToPath(import.meta.resolve('./child.ts'));
  const { stdout } = await run(program, [...flags, child, specifier, JSON.stringify(places)], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...quiet },
    signal,
    killSignal: 'SIGKILL',
  });
  return stdout;
}
