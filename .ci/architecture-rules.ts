/** What ARCHITECTURE.md promises, as rules: each finds what breaks it, one line for each. */
import { isBuiltin } from 'node:module';
import {
  type Import,
  isDevelopment,
  type Manifest,
  type Module,
  packageOf,
  readManifests,
  targetOf,
} from './architecture-modules.ts';

/** Which packages a package may import, by name without the scope; apps may import all. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  auth: [],
  client: ['schema', 'auth'],
  testing: ['schema'],
  outbox: ['client', 'schema', 'auth'],
  cli: ['client', 'schema', 'outbox', 'testing'],
};

/** What their tests may import besides. */
const allowedInTests: Readonly<Record<string, readonly string[]>> = {
  client: ['testing'],
  outbox: ['testing'],
};

/** One call from top to bottom. A file imports from its own row or from below; files in no row lie below all. */
export const clientLayers = [
  ['index', 'fetch', 'undici'],
  ['undici-client', 'fetch-client'],
  ['client', 'tracing'],
  ['update-orders', 'update-order'],
  ['lanes'],
  ['attempt'],
  ['retry'],
  ['rate-limit'],
  ['call'],
  ['undici-transport', 'fetch-transport'],
  ['options'],
  ['response'],
  ['errors'],
  ['receipt'],
] as const;

export function findWrongWays(modules: readonly Module[]): readonly string[] {
  return findImports(modules, (module, specifier) => {
    const [home, room = ''] = module.room.split('/');
    const name = packageOf(specifier);
    if (home !== 'packages' || !name?.startsWith('@orders/')) return undefined;
    // What a package runs against other software is a project of its own, with a package.json of its own.
    if (/^packages\/[^/]+\/(runtimes|interop)\//.test(module.file)) return undefined;
    const target = name.slice('@orders/'.length);
    const mayUse = [
      room,
      ...(allowed[room] ?? []),
      ...(isDevelopment(module) ? (allowedInTests[room] ?? []) : []),
    ];
    return mayUse.includes(target) ? undefined : `${room} may not import ${target}`;
  });
}

export function findUndeclared(root: string, modules: readonly Module[]): readonly string[] {
  const known = new Map<string, readonly Manifest[]>();
  return findImports(modules, (module, specifier) => {
    const folder = module.file.slice(0, module.file.lastIndexOf('/'));
    const manifests = known.get(folder) ?? readManifests(root, module.file);
    known.set(folder, manifests);
    const name = packageOf(specifier);
    if (name === undefined || manifests.some((manifest) => declares(manifest, name, module)))
      return undefined;
    return `${name} is not declared in package.json`;
  });
}

function declares(manifest: Manifest, name: string, module: Module): boolean {
  if (manifest.name === name) return true;
  // An app is bundled or run where it was installed, so its own development dependencies are there.
  const development = isDevelopment(module) || manifest.private ? manifest.devDependencies : {};
  return name in { ...manifest.dependencies, ...manifest.peerDependencies, ...development };
}

/** A package is imported by its name, a file of one's own by its path; tests may share files. */
export function findTrespassing(modules: readonly Module[]): readonly string[] {
  const shipped = modules.filter((module) => !isDevelopment(module));
  return findImports(shipped, (module, specifier) => {
    const target = targetOf(module, specifier);
    if (target === undefined || target.startsWith(`${module.room}/`)) return undefined;
    // What measures and tries, and is never shipped, may use the tools of the tests.
    if (target.startsWith('.ci/') && module.room.startsWith('apps/')) return undefined;
    return `${target} is of another room`;
  });
}

export function findNodeIn(room: string, modules: readonly Module[]): readonly string[] {
  const shipped = modules.filter((module) => module.room === room && !isDevelopment(module));
  return findImports(shipped, (_, { specifier }) =>
    isBuiltin(specifier) ? `${room} runs without Node` : undefined,
  );
}

export function findUpwardImports(modules: readonly Module[]): readonly string[] {
  const shipped = modules.filter((module) => module.room === 'packages/client' && !isDevelopment(module));
  return findImports(shipped, (module, specifier) => {
    const target = targetOf(module, specifier);
    if (target === undefined || layerOf(target) >= layerOf(module.file)) return undefined;
    return 'a layer imports only from below';
  });
}

function layerOf(file: string): number {
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.ts$/, '');
  const layer = clientLayers.findIndex((row: readonly string[]) => row.includes(name));
  return layer === -1 ? clientLayers.length : layer;
}

/** Cycles of imports, of types too: each as the files it goes through. */
export function findCycles(modules: readonly Module[]): readonly string[] {
  const graph = new Map(
    modules.map((module) => [module.file, module.imports.flatMap((one) => targetOf(module, one) ?? [])]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) cycles.push([...path.slice(start), file].join(' -> '));
    if (start !== -1 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** What a module loads at run time, itself and through others, that matches. */
export function findReached(modules: readonly Module[], from: string, match: RegExp): readonly string[] {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const seen = new Set([from]);
  const found: string[] = [];
  for (const file of seen) {
    const module = byFile.get(file);
    for (const one of module?.imports.filter(({ typeOnly }) => !typeOnly) ?? []) {
      const target = module && targetOf(module, one);
      if (target !== undefined) seen.add(target);
      else if (match.test(one.specifier)) found.push(`${file} imports ${one.specifier}`);
    }
  }
  return found;
}

export function findVagueNames(modules: readonly Module[]): readonly string[] {
  const vague = /(^|\/)(utils?|helpers?|types)(\/|\.tsx?$)/;
  return modules.filter(({ file }) => vague.test(file)).map(({ file }) => `${file}: name it for its idea`);
}

export function findUnnamedExports(modules: readonly Module[]): readonly string[] {
  return modules
    .filter((module) => module.file.startsWith(`${module.room}/src/`))
    .flatMap(({ file, exportsDefault, exportsAll }) => [
      ...(exportsDefault ? [`${file}: no default exports`] : []),
      ...(exportsAll ? [`${file}: no export *`] : []),
    ]);
}

function findImports(
  modules: readonly Module[],
  problemOf: (module: Module, specifier: Import) => string | undefined,
): readonly string[] {
  return modules.flatMap((module) =>
    module.imports.flatMap((one) => {
      const problem = problemOf(module, one);
      return problem === undefined ? [] : [`${module.file} imports ${one.specifier}: ${problem}`];
    }),
  );
}
