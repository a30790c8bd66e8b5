import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installer } from '../installers/installer.ts';
import { type Command, type Printed, runProgram } from '../machine/run-program.ts';
import { type PackageName, scoped } from '../packing/package-names.ts';
import { buildScript, type ScriptFormat } from './build-script.ts';

export interface ProjectRecipe {
  readonly installer: Installer;
  /** Those of ours that it declares. */
  readonly packages: readonly PackageName[];
  /** What else it declares, with ranges. */
  readonly others?: Readonly<Record<string, string>> | undefined;
}

export interface ProjectPlace {
  /** An empty folder. */
  readonly folder: string;
  /** The version of ours. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** A consumer's project with everything installed. */
export interface Project {
  readonly folder: string;
  readonly installer: Installer;
  /** Writes one of `projects` as a script into it, and gives its name. */
  readonly write: (source: string, format?: ScriptFormat) => Promise<string>;
  readonly run: (command: Command, env?: NodeJS.ProcessEnv) => Promise<Printed>;
}

/** Makes a project in an empty folder, and installs by version what it declares. */
export async function createProject(
  { installer, packages, others = {} }: ProjectRecipe,
  { folder, version, env, signal }: ProjectPlace,
): Promise<Project> {
  const ours = Object.fromEntries(packages.map((name) => [scoped(name), version]));
  const dependencies = { ...ours, ...others };
  const manifest = { name: 'shop', version: '1.0.0', private: true, type: 'module', dependencies };
  const files = { ...installer.settings, 'package.json': JSON.stringify(manifest, null, 2) };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const run: Project['run'] = (command, changed = env) =>
    runProgram(command, { cwd: folder, env: changed, signal });
  await run(installer.install);
  return {
    folder,
    installer,
    write: (source, format = 'esm') => buildScript({ source, format, folder }),
    run,
  };
}
