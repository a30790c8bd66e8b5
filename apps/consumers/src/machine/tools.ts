import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** The folder that holds what consumers have, installed by the command alone. */
export const toolsFolder = join(import.meta.dirname, '..', '..', 'tools');

const modules = join(toolsFolder, 'node_modules');

/** A file of a tool, by the name that the folder's package.json gives it. */
export function toolFile(tool: string, ...path: readonly string[]): string {
  return join(modules, tool, ...path);
}

/** The version of a tool, which its package.json here fixes, installed or not. */
export function toolVersion(tool: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(toolsFolder, 'package.json'), 'utf8'));
  return String(dependencies[tool]).replace(/^npm:.*@/, '');
}

/** A Node to run consumers with. */
export interface NodeProgram {
  readonly version: string;
  readonly path: string;
}

/** The least that packages ask for, the Node of this repository, and the newest. */
export const nodes = {
  least: { version: toolVersion('node22'), path: toolFile('node22', 'bin', 'node') },
  ours: { version: process.versions.node, path: process.execPath },
  newest: { version: toolVersion('node26'), path: toolFile('node26', 'bin', 'node') },
} as const satisfies Record<string, NodeProgram>;
