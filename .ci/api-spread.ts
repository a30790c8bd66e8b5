/** Carries a break to the packages whose API is made of the broken types. */
import { type ApiChange, breaking } from './api-change.ts';
import { namesIn, readDeclarations } from './api-declarations.ts';

/** The API of one package: its name, its reports of declarations, and what changed in them. */
export interface PackageApi {
  readonly name: string;
  readonly declarations: readonly string[];
  readonly changes: readonly ApiChange[];
}

/** Adds to each package's changes those that come from the packages it takes types from, however far away. */
export function spreadBreaks(packages: readonly PackageApi[]): readonly PackageApi[] {
  const spread = packages.map((api) => {
    const fresh = breaksFromOutside(api, packages);
    return fresh.length === 0 ? api : { ...api, changes: [...api.changes, ...fresh] };
  });
  return spread.every((api, index) => api === packages[index]) ? packages : spreadBreaks(spread);
}

function breaksFromOutside(api: PackageApi, packages: readonly PackageApi[]): readonly ApiChange[] {
  const known = new Set(brokenNames(api));
  const fresh = new Map<string, string>();
  for (const code of api.declarations) {
    const { byKey, imports } = readDeclarations(code);
    for (const [local, from] of imports) {
      const [module = '', imported = ''] = from.split('#');
      const origin = packages.find(({ name }) => name !== api.name && isPartOf(module, name));
      if (!origin || !breaks(origin, imported)) continue;
      for (const { name, nodes } of byKey.values()) {
        const mentions = nodes.some((node) => namesIn(node).has(local) || node['from'] === from);
        if (mentions && !known.has(name))
          fresh.set(name, `${name} is made of ${imported} of ${origin.name}, which breaks`);
      }
    }
  }
  return [...fresh].map(([name, what]) => breaking(name, what));
}

/** Whether a name of a package, or anything that it is made of, is broken. */
function breaks(api: PackageApi, name: string): boolean {
  const broken = new Set(brokenNames(api));
  const declared = api.declarations.flatMap((code) => [...readDeclarations(code).byKey.values()]);
  const reached = new Set([name]);
  for (const next of reached) {
    if (broken.has(next)) return true;
    const made = declared.filter((declaration) => declaration.name === next);
    for (const mentioned of made.flatMap(({ nodes }) => [...namesIn(nodes)])) reached.add(mentioned);
  }
  return name === '*' && broken.size > 0;
}

function brokenNames({ changes }: PackageApi): readonly string[] {
  return changes.filter(({ effect }) => effect === 'breaking').map(({ name }) => name);
}

function isPartOf(module: string, name: string): boolean {
  return module === name || module.startsWith(`${name}/`);
}
