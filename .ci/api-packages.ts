/** What the published packages promise, read from their package.json. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, Target>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Target = string | { readonly [condition: string]: Target };

/** An entry point of a package, and the built file that a report of it is made from. */
export interface EntryPoint {
  /** Name of the report: `index` for `.`, `fetch` for `./fetch`. */
  readonly name: string;
  readonly kind: 'declarations' | 'document';
  readonly file: string;
}

export function listPackages(root: string): readonly PublishedPackage[] {
  return globSync('packages/*/package.json', { cwd: root })
    .sort()
    .map((path) => {
      const file = join(root, path);
      const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
      return { name: manifest.name, version: manifest.version, folder: dirname(file), manifest };
    })
    .filter(({ manifest }) => !manifest.private);
}

/** @throws Error when an entry point is not built. */
export function listEntryPoints({ name, folder, manifest }: PublishedPackage): readonly EntryPoint[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]): EntryPoint[] => {
    const path = defaultOf(typeof target === 'string' ? target : target['types']);
    if (subpath === './package.json' || path === undefined) return [];
    const file = join(folder, path);
    if (!existsSync(file)) throw new Error(`${name}: ${path} is not there. Run pnpm build.`);
    const kind = path.endsWith('.json') ? 'document' : 'declarations';
    return [{ name: subpath === '.' ? 'index' : subpath.slice(2).replace(/\.json$/, ''), kind, file }];
  });
}

/** What a target resolves to for users, who do not set the condition of our sources. */
function defaultOf(target: Target | undefined): string | undefined {
  return typeof target === 'object' ? defaultOf(target['default']) : target;
}

/** What users rely on that no declaration shows: where a package runs, and by which paths it is entered. */
export function promiseOf({ manifest }: PublishedPackage): object {
  const { exports = {}, bin = {}, engines = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.entries(peerDependencies);
  const isOptional = ([name]: readonly [string, string]) => peerDependenciesMeta[name]?.optional === true;
  const conditions = Object.entries(exports).map(([subpath, target]) => [
    subpath,
    typeof target === 'string' ? [] : Object.keys(target).filter((name) => name !== '@orders/source'),
  ]);
  const bins = Object.keys(bin).map((name) => [name, {}]);
  return {
    engines,
    peerDependencies: Object.fromEntries(peers.filter((peer) => !isOptional(peer))),
    optionalPeerDependencies: Object.fromEntries(peers.filter(isOptional)),
    exports: Object.fromEntries(conditions),
    bin: Object.fromEntries(bins),
  };
}
