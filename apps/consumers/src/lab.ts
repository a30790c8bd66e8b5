import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../.ci/free-ports.ts';
import { type Command, killGroup, runProgram } from './run-program.ts';
import { type Installer, installers, node, toolFile } from './tools.ts';

export const repository = join(import.meta.dirname, '../../..');

/** A folder outside the repository, with a registry on loopback. All of it goes when this process exits. */
export interface Lab {
  readonly folder: string;
  /** Ends with a slash. */
  readonly registry: string;
  /** The environment of a user who has a Node and a home folder, and is not in this repository. */
  readonly env: (node?: string) => NodeJS.ProcessEnv;
}

export async function openLab({ keep = false }: { readonly keep?: boolean } = {}): Promise<Lab> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orders-consumers-')));
  const home = join(folder, 'home');
  await mkdir(home);
  const registry = await startRegistry(folder);
  if (!keep) process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  // npm, pnpm, yarn 1 and Bun read it; npm wants a token before it publishes.
  const token = `${registry.replace('http:', '')}:_authToken=any`;
  await writeFile(join(home, '.npmrc'), `registry=${registry}\n${token}\n`);
  return { folder, registry, env: (program = node) => environment(home, program) };
}

const passed = ['LANG', 'LC_ALL', 'SystemRoot', 'PATHEXT', 'TMPDIR', 'TEMP', 'TMP'];

function environment(home: string, program: string): NodeJS.ProcessEnv {
  const path =
    process.env['PATH']?.split(delimiter).filter((folder) => !folder.includes('node_modules')) ?? [];
  return {
    ...Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    PATH: [dirname(program), ...path].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    NO_COLOR: '1',
    NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
    NEXT_TELEMETRY_DISABLED: '1',
  };
}

/** Starts verdaccio with its storage in the folder; resolves with its address. */
async function startRegistry(folder: string): Promise<string> {
  const npm = ['config', 'get', 'registry'];
  const { stdout } = await runProgram(['npm', ...npm], { cwd: repository, env: process.env });
  const config = {
    storage: join(folder, 'registry'),
    uplinks: { npm: { url: process.env['npm_config_registry'] ?? stdout.trim(), maxage: '1h' } },
    packages: {
      // Without an uplink, so that what is published elsewhere never stands in for what was packed here.
      '@orders/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    auth: {},
    web: { enable: false },
    max_body_size: '50mb',
    log: { type: 'stdout', level: 'fatal' },
  };
  const file = join(folder, 'verdaccio.yaml');
  await writeFile(file, JSON.stringify(config));
  const listen = `127.0.0.1:${await freePort()}`;
  const words = [toolFile('verdaccio', 'bin/verdaccio'), '--config', file, '--listen', listen];
  const server = spawn(node, words, {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.on('exit', () => killGroup(server.pid));
  const address = `http://${listen}/`;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const response = await fetch(`${address}-/ping`).catch(() => undefined);
    if (response?.ok) return address;
    await delay(100);
  }
  throw new Error('verdaccio did not start in 30 s.');
}

/** A package of this repository that is published. */
export interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export async function readPackages(): Promise<Package[]> {
  const packages: Package[] = [];
  for await (const file of glob('packages/*/package.json', { cwd: repository })) {
    const manifest = JSON.parse(await readFile(join(repository, file), 'utf8'));
    if (!manifest.private) packages.push({ ...manifest, folder: join(repository, dirname(file)) });
  }
  return packages.sort((a, b) => a.name.localeCompare(b.name));
}

/** Packs the built packages as a release does and publishes them; `change` may change what one of them holds before. */
export async function publishPackages(
  { folder, env }: Lab,
  packages: readonly Package[],
  change?: { readonly name: string; readonly apply: (folder: string) => Promise<void> },
): Promise<void> {
  const pnpm: Command = [node, toolFile('pnpm12', 'bin/pnpm.mjs')];
  const npm: Command = [node, toolFile('npm11', 'bin/npm-cli.js')];
  for (const { name, folder: cwd } of packages) {
    const out = join(folder, 'packed', name);
    await mkdir(out, { recursive: true });
    const tarball = join(out, 'package.tgz');
    await runProgram([...pnpm, 'pack', '--out', tarball], { cwd, env: process.env });
    const isChanged = change?.name === name;
    if (isChanged) {
      await runProgram(['tar', '-xzf', tarball], { cwd: out, env: env() });
      await change.apply(join(out, 'package'));
    }
    const published = isChanged ? './package' : './package.tgz';
    await runProgram([...npm, 'publish', published, '--tag', 'latest'], { cwd: out, env: env() });
  }
}

/** A consumer's project. */
export interface ProjectRecipe {
  readonly name: string;
  readonly installer: keyof typeof installers;
  /** What its `.js` and `.ts` files are. @default 'module' */
  readonly type?: 'commonjs' | 'module';
  /** What it declares. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Files and folders of `fixtures` that it holds. */
  readonly fixtures: readonly string[];
}

/** A project, and what its user runs in it: each run is a row of the table, and may resolve with a note to print. */
export interface Row extends ProjectRecipe {
  readonly runs: Readonly<Record<string, Run>>;
}

export type Run = (project: Project, lab: Lab) => Promise<unknown>;

/** A project with everything installed. */
export interface Project {
  readonly folder: string;
  readonly installer: Installer;
  /** Runs a program in it; resolves with what that printed. */
  readonly run: (command: Command, env?: NodeJS.ProcessEnv) => ReturnType<typeof runProgram>;
}

export async function createProject(lab: Lab, recipe: ProjectRecipe): Promise<Project> {
  const folder = join(lab.folder, 'projects', recipe.name.replace(/[^\w.-]+/g, '-'));
  const installer: Installer = installers[recipe.installer];
  const { dependencies, fixtures, type = 'module' } = recipe;
  const manifest = { name: 'shop', version: '1.0.0', private: true, type, dependencies };
  const files = { ...installer.settings?.(lab.registry), 'package.json': JSON.stringify(manifest, null, 2) };
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  for (const fixture of fixtures) {
    await cp(join(import.meta.dirname, '../fixtures', fixture), join(folder, fixture), { recursive: true });
  }
  const run: Project['run'] = (command, env = lab.env()) => runProgram(command, { cwd: folder, env });
  await run(installer.install);
  return { folder, installer, run };
}
