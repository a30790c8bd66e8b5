import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from './service.ts';

const run = promisify(execFile);
const modules = join(import.meta.dirname, 'node_modules');

// The programs themselves, not the wrappers of `.bin`: killing one of those would leave the runtime alive.
export const commands = {
  node22: [join(modules, 'node22', 'bin', 'node')],
  node24: [process.execPath],
  node26: [join(modules, 'node26', 'bin', 'node')],
  deno: [
    join(modules, 'deno', process.platform === 'win32' ? 'deno.exe' : 'deno'),
    ...['run', '--quiet', '--no-prompt', '--no-lock', '--no-remote', '--node-modules-dir=manual'],
    ...['--allow-net=127.0.0.1', '--allow-read', '--allow-env'],
  ],
  bun: [join(modules, 'bun', 'bin', 'bun.exe'), '--no-install'],
} as const;

/** Keeps runtimes from looking for updates, sending telemetry, or writing outside this folder. */
const quiet = {
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  DENO_NO_UPDATE_CHECK: '1',
  DENO_DIR: join(modules, '.cache', 'deno'),
};

/** Runs the cases in a program of its own; returns its output. */
export async function runInProcess(
  [program = '', ...flags]: readonly string[],
  [specifier, transport]: readonly [specifier: string, transport: string],
  service: Service,
  signal: AbortSignal,
): Promise<string> {
  const child = fileURLToPath(import.meta.resolve('./child.ts'));
  const { stdout } = await run(program, [...flags, child, specifier, transport, JSON.stringify(service)], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...quiet },
    signal,
    killSignal: 'SIGKILL',
  });
  return stdout;
}
