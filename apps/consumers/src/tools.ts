import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from './run-program.ts';

/** The workspace with what consumers have; only `pnpm consumers` installs it. */
export const toolsFolder = join(import.meta.dirname, '../tools');

/** A file of a tool, by the name that the workspace gives it. */
export const toolFile = (tool: string, path: string): string => join(toolsFolder, 'node_modules', tool, path);

/** The version of a tool, installed or not. */
export function versionOf(tool: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(toolsFolder, 'package.json'), 'utf8'));
  return String(dependencies[tool]).replace(/^npm:.*@/, '');
}

export const node = process.execPath;

/** A package manager. */
export interface Installer {
  readonly name: string;
  readonly install: Command;
  /** Settings of a project beside its package.json, by file. */
  readonly settings?: (registry: string) => Readonly<Record<string, string>>;
  /** Runs a script of the project. @default Node itself */
  readonly script?: Command;
  /** Runs a program that a package of the project brings. */
  readonly bin: Command;
}

const npm = (tool: string): Installer => {
  const cli = [node, toolFile(tool, 'bin/npm-cli.js')];
  return {
    name: `npm ${versionOf(tool)}`,
    install: [...cli, 'install', '--no-audit', '--no-fund'],
    bin: [...cli, 'exec', '--no', '--'],
  };
};
const pnpm = (tool: string, file: string): Installer => {
  const cli = [node, toolFile(tool, file)];
  return {
    name: `pnpm ${versionOf(tool)}`,
    install: [...cli, 'install'],
    settings: () => ({
      'pnpm-workspace.yaml': 'hoist: false\nminimumReleaseAge: 0\nstrictDepBuilds: false\n',
    }),
    bin: [...cli, 'exec'],
  };
};
const yarn1 = [node, toolFile('yarn1', 'bin/yarn.js')];
const yarn4 = [node, toolFile('@yarnpkg/cli-dist', 'bin/yarn.js')];
const bun = [toolFile('bun', 'bin/bun.exe')];

/**
 * Two settings differ from the defaults: packages wait for no age, since ours were published a moment ago, and a package
 * reaches only what it declares where an installer can ensure that, so a missing dependency is not found by luck.
 */
export const installers = {
  npm10: npm('npm10'),
  npm11: npm('npm11'),
  pnpm10: pnpm('pnpm10', 'bin/pnpm.cjs'),
  pnpm12: pnpm('pnpm12', 'bin/pnpm.mjs'),
  yarn1: {
    name: `yarn ${versionOf('yarn1')}`,
    install: [...yarn1, 'install', '--non-interactive', '--no-progress'],
    bin: [...yarn1, '--silent', 'run'],
  },
  yarnPnp: {
    name: `yarn ${versionOf('@yarnpkg/cli-dist')} PnP`,
    install: [...yarn4, 'install'],
    settings: (npmRegistryServer) => ({
      '.yarnrc.yml': JSON.stringify({
        npmRegistryServer,
        unsafeHttpWhitelist: ['127.0.0.1'],
        nodeLinker: 'pnp',
        pnpFallbackMode: 'none',
        npmMinimalAgeGate: 0,
        enableTelemetry: false,
      }),
    }),
    script: [...yarn4, 'node'],
    bin: [...yarn4, 'run'],
  },
  bun: {
    name: `bun ${versionOf('bun')}`,
    install: [...bun, 'install', '--linker', 'isolated'],
    settings: () => ({ 'bunfig.toml': '[install]\nhoistPattern = []\n' }),
    bin: [...bun, 'x', '--no-install'],
  },
} as const satisfies Record<string, Installer>;
