import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGroupRunner, runExample, writeExample } from '../../../.ci/run-examples.ts';
import * as arbitraries from './arbitraries.ts';

const sources = globSync(join(import.meta.dirname, 'arbitraries', '*.ts')).map((file) =>
  readFileSync(file, 'utf8'),
);

const folder = join(import.meta.dirname, '..');

/** Each `@example`, by the function that it is of. */
const examples = sources.flatMap((text) =>
  [...text.matchAll(/ \* @example\n \* ```ts\n(.*?) \* ```\n \*\/\nexport function (\w+)/gs)].map(
    ([, code = '', name = '']) => {
      return { name, group: '', folder, file: writeExample(folder, name, code.replaceAll(/^ \* ?/gm, '')) };
    },
  ),
);
const printedInGroup = createGroupRunner(examples);

test('every kind of value has an example', () => {
  expect(examples.map(({ name }) => name).sort()).toEqual([
    'apiKeys',
    'hostileBodies',
    'hostileJson',
    'invalidOrderUpdates',
    'orderTokens',
    'orderUpdates',
  ]);
});

test.each(examples)(
  'the example of $name runs, and prints nothing',
  { timeout: 150_000 },
  async (example) => {
    if ((await printedInGroup(example)) !== '') expect(await runExample(example)).toBe('');
  },
);

test.each(Object.entries(arbitraries))(
  '%s needs no options, and its values replay by seed and path',
  (_, create) => {
    const values: fc.Arbitrary<unknown> = create();
    const failing = fc.check(
      fc.property(values, () => false),
      { seed: 5 },
    );
    const { seed, counterexamplePath, counterexample } = failing;
    const replayed = fc.check(
      fc.property(values, () => false),
      { seed, path: counterexamplePath ?? '', endOnFailure: true },
    );
    expect(fc.stringify(replayed.counterexample)).toBe(fc.stringify(counterexample));
  },
);
