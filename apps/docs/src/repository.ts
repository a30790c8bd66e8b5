import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

/** An import path of a package, and the source behind it. */
export interface Entry {
  /** Such as `@orders/schema/form`. */
  readonly specifier: string;
  /** Its page below `api`, such as `schema/form`. */
  readonly slug: string;
  readonly file: string;
  readonly description: string;
}

export const root = join(import.meta.dirname, '../../..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The package.json of the root is the one place that says where the project lives. */
const project = read('package.json');
export const { homepage, bugs } = project;
export const repositoryUrl: string = project.repository.url.replace(/^git\+|\.git$/g, '');
export const { version } = read('packages/client/package.json');

const order = ['schema', 'auth', 'client', 'testing', 'outbox', 'cli'];

/** The packages that others can install. */
export const packages = globSync('packages/*/package.json', { cwd: root })
  .map((path) => ({ ...read(path), slug: basename(dirname(path)) }))
  .filter((manifest) => !manifest.private)
  .toSorted((a, b) => order.indexOf(a.slug) - order.indexOf(b.slug));

/** Their import paths, but for one that only repeats another's declarations. */
export const entries: readonly Entry[] = packages.flatMap(({ name, slug, description, exports }) =>
  Object.entries<Record<string, unknown>>(exports).flatMap(([subpath, target]) => {
    const source = target['@orders/source'];
    const file = typeof source === 'object' ? Object(source).default : source;
    if (typeof file !== 'string' || typeof target['types'] === 'object') return [];
    const specifier = posix.join(name, subpath);
    return {
      specifier,
      slug: specifier.replace('@orders/', ''),
      file: join(root, 'packages', slug, file),
      description,
    };
  }),
);
