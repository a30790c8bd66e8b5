import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** GitHub cannot include a file, so a block that a comment marks with one is compared with it. */
const blocks = globSync(['README.md', 'packages/*/README.md'], { cwd: root }).flatMap((readme) => {
  const text = readFileSync(join(root, readme), 'utf8');
  return [...text.matchAll(/<!-- (apps\/examples\/\S+) -->\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => ({ readme, file, code }),
  );
});

test.each(blocks)('$readme shows $file as it is', ({ file, code }) => {
  expect(code).toBe(readFileSync(join(root, file), 'utf8'));
});

test('the READMEs of the repository and of the client show an example from its file', () => {
  expect(blocks.map(({ readme }) => readme)).toEqual(
    expect.arrayContaining(['README.md', join('packages', 'client', 'README.md')]),
  );
});
