import { expect, test } from 'vitest';
import { entriesOf } from './manifest.ts';

test('gives every entry by the name that one imports', () => {
  const exports = { '.': {}, './compile': {}, './openapi.json': './dist/openapi.json' };
  expect(entriesOf({ name: '@orders/schema', exports })).toEqual([
    '@orders/schema',
    '@orders/schema/compile',
    '@orders/schema/openapi.json',
  ]);
});
