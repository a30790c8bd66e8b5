import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const places = [...read('README.md').matchAll(/`(\w+)`, `([\w./-]+):(\d+)`/g)];

test.each(places.map(([, name = '', file = '', line = '']) => ({ name, file, line })))(
  'the README shows $name at its line',
  ({ name, file, line }) => {
    const declaration = new RegExp(`^(export )?(async )?function ${name}\\b`);
    expect(
      read(file)
        .split('\n')
        .findIndex((text) => declaration.test(text)) + 1,
    ).toBe(Number(line));
  },
);

test('the README shows where to validate, send, handle outcomes and receive a webhook', () => {
  expect(places.length).toBe(6);
});
