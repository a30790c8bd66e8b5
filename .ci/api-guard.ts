/** Holds what the packages promise against what they promised, and against what the changesets tell their users. */
import { join } from 'node:path';
import { readChangesets } from '@changesets/read';
import { type ApiChange, added, breaking } from './api-change.ts';
import { compareDeclarations } from './api-compare-declarations.ts';
import { compareDocuments } from './api-compare-documents.ts';
import { neededLevel, pendingLevel, reaches } from './api-levels.ts';
import { listPackages, type PublishedPackage } from './api-packages.ts';
import { makeReports, type Reports, readReleasedReports, readReport, readReports } from './api-reports.ts';
import { type PackageApi, spreadBreaks } from './api-spread.ts';

/** Reports that are not what the build says: one line each, empty when all is well. */
export function findOutdatedReports(root: string): readonly string[] {
  const made = makeReports(root);
  return listPackages(root).flatMap((pkg) => {
    const [now, recorded] = [made.get(pkg.name) ?? new Map(), readReports(pkg)];
    return [...new Set([...now.keys(), ...recorded.keys()])]
      .filter((file) => now.get(file) !== recorded.get(file)?.replaceAll('\r\n', '\n'))
      .map(
        (file) =>
          `${join('packages', pkg.folder.split(/[\\/]/).at(-1) ?? '', 'api', file)} is not what the build says: run pnpm api, and review what it changes.`,
      );
  });
}

/** Changes since the last release that the pending changesets do not tell: one line each. */
export async function findUntoldChanges(root: string): Promise<readonly string[]> {
  const changesets = await readChangesets(root);
  const packages = listPackages(root);
  const apis = spreadBreaks(packages.map(readApi));
  return packages.flatMap(({ name, version }, index) => {
    const changes = apis[index]?.changes ?? [];
    const [needed, pending] = [neededLevel(version, changes), pendingLevel(name, changesets)];
    if (reaches(pending, needed)) return [];
    const shown = changes.map(({ effect, what }) => `  ${effect}: ${what}`);
    const have = pending === 'none' ? 'no changeset names it' : `its changesets say ${pending}`;
    return [
      [`${name} ${version} needs a ${needed} changeset (pnpm changeset), and ${have}:`, ...shown].join('\n'),
    ];
  });
}

function readApi(pkg: PublishedPackage): PackageApi {
  const [before, after] = [readReleasedReports(pkg), readReports(pkg)];
  if (before.size === 0 && pkg.version !== '0.0.0') {
    throw new Error(
      `${pkg.name} ${pkg.version} has no api/released: run node .ci/api-release.ts on the released state.`,
    );
  }
  const declarations = [...after.values()].map(readReport).filter(({ language }) => language === 'ts');
  const changes = before.size === 0 ? [] : compareReports(before, after);
  return { name: pkg.name, declarations: declarations.map(({ text }) => text), changes };
}

function compareReports(before: Reports, after: Reports): readonly ApiChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((file) => {
    const [old, now] = [before.get(file), after.get(file)];
    if (old === undefined) return [added(file, file)];
    if (now === undefined) return [breaking(file, `${file} was removed`)];
    const [{ language, text }, next] = [readReport(old), readReport(now)];
    if (language !== next.language) return [breaking(file, `${file} was changed`)];
    const changes =
      language === 'ts'
        ? compareDeclarations(text, next.text)
        : compareDocuments(JSON.parse(text), JSON.parse(next.text));
    return changes.map((change) => ({ ...change, what: `${file}: ${change.what}` }));
  });
}
