import { expect, test } from 'vitest';
import { argumentsOf, blockOf } from './read-readme.ts';

const readme = [
  '# shop',
  '```sh',
  'pnpm add shop',
  '```',
  '```ts',
  'open();',
  '```',
  '```ts',
  'close();',
  '```',
];

test('gives the first block in a language', () => {
  expect(blockOf(readme.join('\n'), 'ts')).toBe('open();\n');
  expect(blockOf(readme.join('\n'), 'ts', 'close')).toBe('close();\n');
});

test('says what a README does not show', () => {
  expect(() => blockOf(readme.join('\n'), 'sh', 'npx')).toThrow('The README shows no sh with npx.');
});

test('gives the words after the program', () => {
  expect(argumentsOf('pnpm add -D shop\n')).toEqual(['add', '-D', 'shop']);
});
