import { expect, test } from 'vitest';
import { getDependencyReleaseLine, getReleaseLine } from './changelog.ts';

test('shows a changeset as it was written', async () => {
  await expect(getReleaseLine({ summary: 'Mend the hint of a currency.' })).resolves.toBe(
    '- Mend the hint of a currency.',
  );
});

test('keeps further paragraphs and code within the item', async () => {
  const summary = 'Rename `apiKey`.\n\n```ts\nopen({ key });\n```\n';
  await expect(getReleaseLine({ summary })).resolves.toBe(
    '- Rename `apiKey`.\n\n  ```ts\n  open({ key });\n  ```',
  );
});

test('names what a release needs in one line, however many changesets there were', async () => {
  const changesets = [{ summary: 'a' }, { summary: 'b' }];
  const dependencies = [
    { name: '@orders/schema', newVersion: '0.1.1' },
    { name: '@orders/auth', newVersion: '0.2.0' },
  ];
  await expect(getDependencyReleaseLine(changesets, dependencies)).resolves.toBe(
    '- Needs `@orders/schema` 0.1.1 and `@orders/auth` 0.2.0.',
  );
  await expect(getDependencyReleaseLine(changesets, [])).resolves.toBe('');
});
