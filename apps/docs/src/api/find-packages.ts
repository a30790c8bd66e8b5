import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of this repository that others can install. */
export interface FoundPackage {
  /** Such as `@orders/client`. */
  readonly name: string;
  /** Its folder's name, such as `client`. */
  readonly slug: string;
  readonly description: string;
  /** Import paths and the source files behind them. */
  readonly entries: readonly { readonly specifier: string; readonly file: string }[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly description: string;
  readonly exports: Readonly<Record<string, Target>>;
}

/** What an import path leads to, by condition. */
type Target = string | { readonly [condition: string]: Target };

const home = join(import.meta.dirname, '../../../../packages');

/** Finds every package that is published, and each import path that has TypeScript behind it. */
export function findPackages(): readonly FoundPackage[] {
  return readdirSync(home).flatMap((slug) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(home, slug, 'package.json'), 'utf8'));
    if (manifest.private) return [];
    const { name, description } = manifest;
    const entries = Object.entries(manifest.exports).flatMap(([path, target]) => {
      const source = typeof target === 'string' ? undefined : target['@orders/source'];
      const file = typeof source === 'object' ? source['default'] : source;
      return typeof file === 'string' ? [{ specifier: join(name, path), file: join(home, slug, file) }] : [];
    });
    return entries.length === 0 ? [] : [{ name, slug, description, entries }];
  });
}
