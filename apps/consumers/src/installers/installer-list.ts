import process from 'node:process';
import { type NodeProgram, nodes, toolFile, toolVersion } from '../machine/tools.ts';
import type { Installer } from './installer.ts';

/*
 * Two settings differ from what these bring along. Packages wait for no age, because ours were published a moment ago.
 * And a package reaches what it declares and nothing else, where an installer can see to that: a dependency that is
 * missing in a manifest must not be found by luck.
 */

const node = nodes.ours.path;

export function npm(tool: 'npm10' | 'npm11', { path }: NodeProgram = nodes.ours): Installer {
  const cli = toolFile(tool, 'bin', 'npm-cli.js');
  return {
    name: `npm ${toolVersion(tool)}`,
    settings: {},
    install: [path, cli, 'install', '--no-audit', '--no-fund'],
    script: (script) => [path, script],
    bin: (program, ...args) => [path, cli, 'exec', '--no', '--', program, ...args],
  };
}

export function pnpm(tool: 'pnpm10' | 'pnpm12'): Installer {
  const cli = toolFile(tool, 'bin', tool === 'pnpm10' ? 'pnpm.cjs' : 'pnpm.mjs');
  return {
    name: `pnpm ${toolVersion(tool)}`,
    settings: { 'pnpm-workspace.yaml': 'hoist: false\nminimumReleaseAge: 0\n' },
    install: [node, cli, 'install'],
    script: (script) => [node, script],
    bin: (program, ...args) => [node, cli, 'exec', program, ...args],
  };
}

export function yarnClassic(): Installer {
  const cli = toolFile('yarn1', 'bin', 'yarn.js');
  return {
    name: `yarn ${toolVersion('yarn1')}`,
    settings: {},
    install: [node, cli, 'install', '--non-interactive', '--no-progress'],
    script: (script) => [node, script],
    bin: (program, ...args) => [node, cli, '--silent', 'run', program, ...args],
  };
}

export function yarnBerry(linker: 'node-modules' | 'pnp', registry: string): Installer {
  const cli = toolFile('@yarnpkg/cli-dist', 'bin', 'yarn.js');
  const settings = {
    npmRegistryServer: registry,
    unsafeHttpWhitelist: ['127.0.0.1'],
    nodeLinker: linker,
    pnpFallbackMode: 'none',
    npmMinimalAgeGate: 0,
    enableTelemetry: false,
  };
  return {
    name: `yarn ${toolVersion('@yarnpkg/cli-dist')} ${linker}`,
    settings: { '.yarnrc.yml': JSON.stringify(settings) },
    install: [node, cli, 'install'],
    script: (script) => [node, cli, 'node', script],
    bin: (program, ...args) => [node, cli, 'run', program, ...args],
  };
}

export function bun(linker: 'hoisted' | 'isolated'): Installer {
  const cli = toolFile('bun', 'bin', 'bun.exe');
  return {
    name: `bun ${toolVersion('bun')} ${linker}`,
    settings: linker === 'isolated' ? { 'bunfig.toml': '[install]\nhoistPattern = []\n' } : {},
    install: [cli, 'install', '--linker', linker],
    script: (script) => [node, script],
    bin: (program, ...args) => [cli, 'x', '--no-install', program, ...args],
  };
}

export function deno(): Installer {
  const cli = toolFile('deno', process.platform === 'win32' ? 'deno.exe' : 'deno');
  return {
    name: `deno ${toolVersion('deno')}`,
    settings: {},
    install: [cli, 'install', '--minimum-dependency-age=0'],
    script: (script) => [node, script],
    bin: (program, ...args) => [cli, 'run', '-A', `npm:${program}`, ...args],
  };
}
