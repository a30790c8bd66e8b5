import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { runProgram } from '../machine/run-program.ts';
import { toolFile } from '../machine/tools.ts';
import { type BreakageName, breakages } from './breakage.ts';
import { copyOf, copyWorkspace } from './copy-workspace.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { type PackageName, packageNames } from './package-names.ts';

export interface PackOptions {
  /** An empty folder to work in. */
  readonly folder: string;
  readonly version: string;
  readonly broken: BreakageName | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface Packed {
  readonly name: PackageName;
  /** The packed file. */
  readonly tarball: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

/** Packs the built packages as a release would, but for their version, and broken when asked. */
export async function packPackages(options: PackOptions): Promise<readonly Packed[]> {
  const { folder, version, broken, env, signal } = options;
  await copyWorkspace({ folder, version });
  if (broken) await breakages[broken].apply(copyOf({ folder }, breakages[broken].package));
  const packed: Packed[] = [];
  for (const name of packageNames) {
    const tarball = join(folder, `${name}.tgz`);
    const cwd = copyOf({ folder }, name);
    await runProgram([process.execPath, toolFile('pnpm12', 'bin', 'pnpm.mjs'), 'pack', '--out', tarball], {
      cwd,
      env,
      signal,
    });
    packed.push({ name, tarball, bytes: (await stat(tarball)).size, manifest: await readManifest(cwd) });
  }
  return packed;
}
