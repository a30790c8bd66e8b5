import { join } from 'node:path';
import process from 'node:process';
import { runProgram } from './run-program.ts';
import { toolsFolder } from './tools.ts';

const repository = join(import.meta.dirname, '..', '..', '..', '..');
const timeoutMs = 15 * 60_000;

/** Builds the packages, and installs what consumers have where it is not yet. Takes some minutes the first time. */
export async function prepare(signal: AbortSignal, tell: (what: string) => void): Promise<void> {
  const options = { cwd: repository, env: process.env, signal, timeoutMs };
  tell('Building the packages …');
  await runProgram(['turbo', 'run', 'build', '--filter=consumers^...', '--output-logs=errors-only'], options);
  tell('Installing registry, runtimes, compilers and bundlers …');
  await runProgram(['pnpm', '--dir', toolsFolder, 'install', '--frozen-lockfile'], options);
}
