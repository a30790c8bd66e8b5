import { basename, dirname } from 'node:path';
import process from 'node:process';
import { runProgram } from '../machine/run-program.ts';
import { toolFile } from '../machine/tools.ts';
import type { Packed } from '../packing/pack-packages.ts';

export interface PublishOptions {
  /** Names the registry, and holds a word that passes for a token there. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Publishes what was packed, as the newest. */
export async function publishPackages(
  packed: readonly Packed[],
  { env, signal }: PublishOptions,
): Promise<void> {
  for (const { tarball } of packed) {
    const command = [toolFile('npm11', 'bin', 'npm-cli.js'), 'publish', `./${basename(tarball)}`];
    await runProgram([process.execPath, ...command, '--tag', 'latest'], {
      cwd: dirname(tarball),
      env,
      signal,
    });
  }
}
