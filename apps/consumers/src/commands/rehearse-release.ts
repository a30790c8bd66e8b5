import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const home = join(import.meta.dirname, '..', '..');

/** Runs the rehearsals of a release, which are tests, and tells whether they pass. */
export async function rehearseRelease(signal: AbortSignal): Promise<boolean> {
  const tests = spawn('vitest', ['run', '--config', 'release/vitest.config.ts'], {
    cwd: home,
    stdio: 'inherit',
    signal,
  });
  const [code]: unknown[] = await once(tests, 'exit');
  return code === 0;
}
