import { type ExportSpecifier, type Node, Project, type SourceFile } from 'ts-morph';
import type { ApiEntry, ApiItem, ApiPackage } from './api-model.ts';
import type { FoundPackage } from './find-packages.ts';
import { readItem } from './read-item.ts';

/** Reads what packages promise from their sources: their lists of exports, declarations and doc comments. */
export function readPackages(packages: readonly FoundPackage[], tsconfig: string): readonly ApiPackage[] {
  const project = new Project({
    tsConfigFilePath: tsconfig,
    skipAddingFilesFromTsConfig: true,
    // The types of a browser and of its frameworks are for the site; no package names them.
    compilerOptions: { lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'], types: ['node'] },
  });
  const files = packages.flatMap(({ entries }) => entries.map(({ file }) => file));
  project.addSourceFilesAtPaths(files);
  project.resolveSourceFileDependencies();
  return packages.map(({ entries, ...found }) => {
    const [first] = entries;
    const main = first && namesOf(project.getSourceFileOrThrow(first.file));
    return {
      ...found,
      entries: entries.map(({ specifier, file }, index) =>
        readEntry(specifier, project.getSourceFileOrThrow(file), index === 0 ? undefined : main),
      ),
    };
  });
}

/** What each exported name stands for. */
type Names = ReadonlyMap<string, readonly Node[]>;

function readEntry(specifier: string, file: SourceFile, main: Names | undefined): ApiEntry {
  const items: ApiItem[] = [];
  const sameNames: string[] = [];
  const foreign: { name: string; from: string }[] = [];
  for (const one of specifiersOf(file)) {
    const name = exportedName(one);
    const nodes = declarationsOf(one);
    const from = one.getExportDeclaration().getModuleSpecifierValue() ?? '';
    if (!from.startsWith('.')) foreign.push({ name, from });
    else if (main?.get(name)?.[0] === nodes[0]) sameNames.push(name);
    else items.push(readItem(name, nodes, { isTypeOnly: isTypeOnly(one), file }));
  }
  return { specifier, items: [...items, ...ownItems(file)], sameNames, foreign };
}

/** An entry may declare what it exports in its own file. */
function ownItems(file: SourceFile): ApiItem[] {
  const listed = new Set(specifiersOf(file).map(exportedName));
  return [...file.getExportedDeclarations()]
    .filter(([name]) => !listed.has(name))
    .map(([name, nodes]) => readItem(name, nodes, { isTypeOnly: false, file }));
}

function namesOf(file: SourceFile): Names {
  return new Map(specifiersOf(file).map((one) => [exportedName(one), declarationsOf(one)]));
}

function specifiersOf(file: SourceFile): readonly ExportSpecifier[] {
  return file.getExportDeclarations().flatMap((list) => list.getNamedExports());
}

function exportedName(one: ExportSpecifier): string {
  return one.getAliasNode()?.getText() ?? one.getName();
}

function declarationsOf(one: ExportSpecifier): readonly Node[] {
  const symbol = one.getSymbolOrThrow();
  return (symbol.getAliasedSymbol() ?? symbol).getDeclarations();
}

function isTypeOnly(one: ExportSpecifier): boolean {
  return one.isTypeOnly() || one.getExportDeclaration().isTypeOnly();
}
