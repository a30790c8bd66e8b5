import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageNames, scoped } from '../src/packing/package-names.ts';
import { readPublished } from './published.ts';
import { openReleased } from './rehearsal.ts';

test('a patch, a minor and a major give the right versions, ranges and changelogs', async () => {
  await using rehearsal = await openReleased();
  const { change, commit, folder, must, registry, steps, versions } = rehearsal;
  await change({ schema: 'patch' }, 'Mend the hint of a currency in lower case.');
  await change({ auth: 'minor' }, 'Add credentials that are read from a file.');
  await change(
    { client: 'major' },
    'Rename the option `apiKey` to `key`.\n\n```ts\ncreateOrdersClient({ baseUrl, key });\n```',
  );
  await must(steps.version);
  await commit('Version');
  expect(await versions()).toEqual({
    schema: '0.1.1',
    auth: '0.2.0',
    client: '1.0.0',
    testing: '0.1.0',
    // A major of the client is out of their range.
    outbox: '0.1.1',
    cli: '0.1.1',
  });

  const before = registry.tries.length;
  await must(steps.release);
  expect(registry.tries.slice(before).toSorted()).toEqual([
    '@orders/auth',
    '@orders/cli',
    '@orders/client',
    '@orders/outbox',
    '@orders/schema',
  ]);
  const client = await readPublished(registry.url, 'client');
  expect(client.tags).toEqual({ latest: '1.0.0' });
  expect(client.manifest('1.0.0').dependencies).toMatchObject({
    '@orders/schema': '^0.1.1',
    '@orders/auth': '^0.2.0',
  });
  // Who has not updated @orders/testing gets the mended schema all the same.
  const testing = await readPublished(registry.url, 'testing');
  expect(testing.manifest('0.1.0').dependencies).toMatchObject({ '@orders/schema': '^0.1.0' });

  const changelogOf = (name: string) => readFile(join(folder, 'packages', name, 'CHANGELOG.md'), 'utf8');
  expect((await changelogOf('client')).split('\n')).toEqual([
    '# @orders/client',
    '',
    '## 1.0.0',
    '',
    '### Major Changes',
    '',
    '- Rename the option `apiKey` to `key`.',
    '',
    '  ```ts',
    '  createOrdersClient({ baseUrl, key });',
    '  ```',
    '',
    '### Patch Changes',
    '',
    '- Needs `@orders/schema` 0.1.1 and `@orders/auth` 0.2.0.',
    '',
  ]);
  expect(await changelogOf('schema')).toContain('## 0.1.1\n\n### Patch Changes\n\n- Mend the hint');
  await expect(changelogOf('testing')).rejects.toThrow('ENOENT');
});

test('what no range takes any more carries on to those who depend on it', async () => {
  await using rehearsal = await openReleased();
  const { change, must, registry, steps, versions, commit } = rehearsal;
  await change({ schema: 'minor' }, 'Add a field.');
  await must(steps.version);
  await commit('Version');
  expect(await versions()).toEqual({
    schema: '0.2.0',
    auth: '0.1.0',
    client: '0.1.1',
    testing: '0.1.1',
    outbox: '0.1.1',
    cli: '0.1.1',
  });
  await must(steps.release);
  for (const name of ['client', 'testing', 'outbox', 'cli'] as const) {
    const { manifest } = await readPublished(registry.url, name);
    expect(manifest('0.1.1').dependencies).toMatchObject({ '@orders/schema': '^0.2.0' });
  }
});

test('nothing private is versioned or published, whatever a changeset says', async () => {
  await using rehearsal = await openReleased();
  const { commit, folder, must, registry, steps } = rehearsal;
  await must(`printf -- "---\\n'merchant': major\\n---\\n\\nShow orders.\\n" > .changeset/desk.md`);
  await commit('Change the desk');
  await must(steps.version);
  await must(steps.release);
  const manifest = await readFile(join(folder, 'apps', 'merchant', 'package.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ private: true, version: '0.0.0' });
  expect(registry.tries.toSorted()).toEqual(packageNames.map(scoped).toSorted());
});
