import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageNames } from '../src/packing/package-names.ts';
import { readPublished } from './published.ts';
import { openReleased } from './rehearsal.ts';

test('a pre-release goes to its own tag, and the release after it to everybody', async () => {
  await using rehearsal = await openReleased();
  const { change, commit, folder, must, registry, steps, versions } = rehearsal;
  const latest = async () => {
    const tags = packageNames.map(async (name) => (await readPublished(registry.url, name)).tags);
    return Promise.all(tags);
  };
  await must('changeset pre enter next');
  await change({ schema: 'minor' }, 'Add a field.');
  await must(steps.version);
  await commit('Version a pre-release');
  expect(await versions()).toEqual({
    schema: '0.2.0-next.0',
    auth: '0.1.0',
    client: '0.1.1-next.0',
    testing: '0.1.1-next.0',
    outbox: '0.1.1-next.0',
    cli: '0.1.1-next.0',
  });
  await must(steps.release);
  expect(await latest()).toEqual([
    { latest: '0.1.0', next: '0.2.0-next.0' },
    { latest: '0.1.0' },
    { latest: '0.1.0', next: '0.1.1-next.0' },
    { latest: '0.1.0', next: '0.1.1-next.0' },
    { latest: '0.1.0', next: '0.1.1-next.0' },
    { latest: '0.1.0', next: '0.1.1-next.0' },
  ]);
  const client = await readPublished(registry.url, 'client');
  expect(client.manifest('0.1.1-next.0').dependencies).toMatchObject({ '@orders/schema': '^0.2.0-next.0' });

  await change({ schema: 'patch' }, 'Mend the field.');
  await must(steps.version);
  await commit('Version another');
  await must(steps.release);
  expect((await versions()).schema).toBe('0.2.0-next.1');

  await must('changeset pre exit');
  await must(steps.version);
  await commit('Version the release');
  expect(await versions()).toEqual({
    schema: '0.2.0',
    auth: '0.1.0',
    client: '0.1.1',
    testing: '0.1.1',
    outbox: '0.1.1',
    cli: '0.1.1',
  });
  await must(steps.release);
  expect((await latest())[0]).toEqual({ latest: '0.2.0', next: '0.2.0-next.1' });
  const changelog = await readFile(join(folder, 'packages', 'schema', 'CHANGELOG.md'), 'utf8');
  expect(changelog).toContain(
    '## 0.2.0\n\n### Minor Changes\n\n- Add a field.\n\n### Patch Changes\n\n- Mend the field.',
  );
});
