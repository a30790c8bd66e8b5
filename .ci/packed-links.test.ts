import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooks } from '../.pnpmfile.mjs';

const root = join(import.meta.dirname, '..');

test('a packed package links to its folder of the repository, as the root says', () => {
  const { homepage, repository, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packed = hooks.beforePacking({ name: '@orders/auth' }, join(root, 'packages/auth'));
  expect(packed).toEqual({
    name: '@orders/auth',
    homepage,
    repository: { ...repository, directory: 'packages/auth' },
    bugs,
  });
  expect([homepage, repository.url, bugs]).not.toContain(undefined);
});
