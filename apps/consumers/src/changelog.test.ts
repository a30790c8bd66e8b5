import { expect, test } from 'vitest';
import { getDependencyReleaseLine, getReleaseLine } from './changelog.ts';

test('shows each line of a changeset as an item, with further paragraphs in the last one', async () => {
  const summary = 'Add `close`.\nRename `apiKey`.\n\n```ts\nopen({ key });\n```\n';
  await expect(getReleaseLine({ summary })).resolves.toBe(
    '- Add `close`.\n- Rename `apiKey`.\n\n  ```ts\n  open({ key });\n  ```',
  );
});

test('names what a release needs in one line, however many changesets there were', async () => {
  const dependencies = [
    { name: '@orders/schema', newVersion: '0.1.1' },
    { name: '@orders/auth', newVersion: '0.2.0' },
  ];
  await expect(getDependencyReleaseLine([{ summary: 'a' }, { summary: 'b' }], dependencies)).resolves.toBe(
    '- Needs `@orders/schema` 0.1.1 and `@orders/auth` 0.2.0.',
  );
  await expect(getDependencyReleaseLine([], [])).resolves.toBe('');
});
