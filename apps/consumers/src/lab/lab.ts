import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser/launch-browser.ts';
import { npm } from '../installers/installer-list.ts';
import { consumerEnvironment } from '../machine/consumer-environment.ts';
import { openWorkFolder } from '../machine/work-folder.ts';
import type { BreakageName } from '../packing/breakage.ts';
import { type Packed, packPackages } from '../packing/pack-packages.ts';
import { publishPackages } from '../registry/publish-packages.ts';
import { startRegistry } from '../registry/start-registry.ts';
import { createProject, type Project, type ProjectRecipe } from './project.ts';
import { type HostedOrder, startServiceHost } from './service-host.ts';
import { share } from './share.ts';

export interface LabOptions {
  readonly broken?: BreakageName | undefined;
  /** Leaves the folders behind, to look at. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** A registry that holds what was packed, and a place for consumers' projects. */
export interface Lab {
  readonly folder: string;
  readonly registry: string;
  readonly version: string;
  readonly packed: readonly Packed[];
  readonly signal: AbortSignal;
  /** The environment of a consumer, with this program as `node`. */
  readonly environment: (node?: string) => NodeJS.ProcessEnv;
  /** An empty folder. */
  readonly open: (name: string) => Promise<string>;
  /** A project that all who ask for the same share. */
  readonly project: (recipe: ProjectRecipe) => Promise<Project>;
  /** An order of a running service, which was installed from the registry. */
  readonly takeOrder: () => Promise<HostedOrder>;
  readonly browser: () => Promise<Browser>;
}

const version = '0.1.0-consumers.1';

/** Packs, publishes to a registry of its own, and opens. Disposing of it ends and removes everything. */
export async function openLab({ broken, keep, signal }: LabOptions): Promise<Lab & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const work = stack.use(await openWorkFolder({ keep }));
  const registry = stack.use(await startRegistry(join(work.path, 'registry')));
  const home = await makeHome(work.path, registry.url);
  const environment = (node?: string): NodeJS.ProcessEnv =>
    consumerEnvironment({ home, ...(node && { node }) });
  const env = environment();
  const packed = await packPackages({ folder: join(work.path, 'packed'), version, broken, env, signal });
  await publishPackages(packed, { env, signal });

  const opened = stack.move();
  const project = share(
    async (recipe: ProjectRecipe) => {
      const folder = await work.open(`${recipe.installer.name} ${recipe.packages.join(' ')}`);
      return createProject(recipe, { folder, version, env, signal });
    },
    ({ installer, packages, others }) => JSON.stringify([installer.name, packages, others]),
  );
  const host = share(async (recipe: ProjectRecipe) =>
    opened.use(await startServiceHost(await project(recipe), env)),
  );
  const browser = share(async (name: string) => opened.use(await launchBrowser(await work.open(name))));
  return {
    folder: work.path,
    registry: registry.url,
    version,
    packed,
    signal,
    environment,
    open: work.open,
    project,
    takeOrder: async () => (await host({ installer: npm('npm11'), packages: ['testing'] })).takeOrder(),
    browser: () => browser('browser'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** npm, pnpm, yarn 1, Bun and Deno all look here; the token is what npm wants to see before it publishes. */
async function makeHome(folder: string, registry: string): Promise<string> {
  const home = join(folder, 'home');
  await mkdir(home);
  const settings = `registry=${registry}\n${registry.replace('http:', '')}:_authToken=anybody\n`;
  await writeFile(join(home, '.npmrc'), settings);
  return home;
}
