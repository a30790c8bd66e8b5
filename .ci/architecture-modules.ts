/** Reads which module of the repository imports what. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Module {
  /** Path from the root, with slashes: `packages/client/src/lanes.ts`. */
  readonly file: string;
  /** Folder of the package or app it belongs to: `packages/client`. */
  readonly room: string;
  readonly imports: readonly Import[];
  readonly exportsDefault: boolean;
  /** Whether it has an `export *`, named or not. */
  readonly exportsAll: boolean;
}

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

export interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const skipped = /(^|[\\/])(node_modules|dist|generated)([\\/]|$)/;

export function readModules(root: string): readonly Module[] {
  const files = globSync('{packages,apps}/*/**/*.{ts,tsx,mts,cts}', {
    cwd: root,
    exclude: (path) => skipped.test(path),
  });
  return files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
    .map((file) => parseModule(file, readFileSync(join(root, file), 'utf8')));
}

export function parseModule(file: string, source: string): Module {
  const { module } = parseSync(file, source);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const lazy = module.dynamicImports.map(({ moduleRequest }) =>
    source.slice(moduleRequest.start, moduleRequest.end),
  );
  return {
    file,
    room: file.split('/').slice(0, 2).join('/'),
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries }) => ({
        specifier: moduleRequest.value,
        typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
      })),
      ...exported.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, typeOnly: isType }] : [],
      ),
      ...lazy
        .filter((text) => /^['"]/.test(text))
        .map((text) => ({ specifier: text.slice(1, -1), typeOnly: false })),
    ],
    exportsDefault: exported.some(({ exportName }) => exportName.kind === 'Default'),
    exportsAll: exported.some(
      ({ importName }) => importName.kind === 'AllButDefault' || importName.kind === 'All',
    ),
  };
}

/** The package.json files that say what a file may import: that of its folder and those above it, but the root's. */
export function readManifests(root: string, file: string): readonly Manifest[] {
  const above = dirname(file);
  if (!above.includes('/')) return [];
  const path = join(root, above, 'package.json');
  const own = existsSync(path) ? [JSON.parse(readFileSync(path, 'utf8'))] : [];
  return [...own, ...readManifests(root, above)];
}

/** The file that a relative import names, or `undefined` for the import of a package. */
export function targetOf({ file }: Module, { specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
}

/** `@orders/schema` for `@orders/schema/compile`; `undefined` for a relative import or a module of Node. */
export function packageOf({ specifier }: Import): string | undefined {
  if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Whether users never load it: tests, what they use, scripts and configuration. */
export function isDevelopment({ file, room }: Module): boolean {
  return !file.startsWith(`${room}/src/`) || /\.test\.tsx?$/.test(file);
}
