import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { npm } from '../src/installers/installer-list.ts';
import { createProject } from '../src/lab/project.ts';
import { consumerEnvironment } from '../src/machine/consumer-environment.ts';
import { packageNames, scoped } from '../src/packing/package-names.ts';
import { readPublished, unpack } from './published.ts';
import { openRehearsal } from './rehearsal.ts';

test('what waits now can be released: each package once, built, without a range of the workspace', async ({
  signal,
}) => {
  await using rehearsal = await openRehearsal();
  const { home, must, registry, run, steps } = rehearsal;
  const { output } = await run(steps.version);
  if (!output.includes('No unreleased changesets found')) await rehearsal.commit('Version');
  await must(steps.release);

  const versions = await rehearsal.versions();
  expect(registry.tries.toSorted()).toEqual(packageNames.map(scoped).toSorted());
  for (const name of packageNames) {
    const version = versions[name];
    const published = await readPublished(registry.url, name);
    expect(published).toMatchObject({ versions: [version], tags: { latest: version } });
    expect(JSON.stringify(published.manifest(version))).not.toMatch(/workspace:|catalog:/);
    const read = await unpack(published.manifest(version), join(home, name));
    const entry = name === 'cli' ? 'dist/main.js' : 'dist/index.js';
    await expect(read(entry)).resolves.toMatch(/^(import|export) /m);
    if (name === 'client') await expect(read('dist/version.js')).resolves.toContain(`'${version}'`);
  }

  const tags = packageNames.map((name) => `${scoped(name)}@${versions[name]}`);
  expect((await must('git tag --list')).trim().split('\n')).toEqual(tags.toSorted());

  const others = { '@orders/client': versions.client, '@orders/testing': versions.testing };
  const place = { folder: await mkdtemp(join(home, 'shop-')), env: consumerEnvironment({ home }), signal };
  const recipe = { installer: npm('npm11'), packages: [], others };
  const shop = await createProject(recipe, { ...place, version: versions.client });
  const app = await shop.write(import.meta.resolve('../projects/client-and-testing.ts'));
  await shop.run(shop.installer.script(app));

  const again = await must(steps.release);
  expect(again).toContain('No unpublished projects to publish');
  expect(registry.tries).toHaveLength(packageNames.length);
  expect(await must('git status --porcelain')).toBe('');
});
