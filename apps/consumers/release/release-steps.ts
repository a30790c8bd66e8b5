import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the root of the repository says about a release, or what it should say where it does not yet. */
export interface ReleaseSteps {
  /** Turns changesets into versions and changelogs. */
  readonly version: string;
  /** Builds, and publishes what is not published. */
  readonly release: string;
}

const steps: ReleaseSteps = {
  version: 'changeset version && node apps/consumers/src/release/write-version.ts',
  release: 'turbo run build --filter=./packages/* --output-logs=errors-only && changeset publish',
};

const changelog = '../apps/consumers/src/release/changelog.ts';

/** Reads the steps of a copy of the repository, and sees to it that changesets know how to write changelogs. */
export async function readReleaseSteps(folder: string): Promise<ReleaseSteps> {
  const file = join(folder, '.changeset', 'config.json');
  const config = { changelog, ...JSON.parse(await readFile(file, 'utf8')) };
  await writeFile(file, JSON.stringify(config, null, 2));
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { ...steps, ...scripts };
}
