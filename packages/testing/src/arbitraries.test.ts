import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import * as arbitraries from './arbitraries.ts';

const sources = globSync(join(import.meta.dirname, 'arbitraries', '*.ts')).map((file) =>
  readFileSync(file, 'utf8'),
);

test('every kind of value has an example, which the tests of the documentation run', () => {
  const names = sources.flatMap((text) =>
    [...text.matchAll(/ \* @example\n \* ```ts\n \* import .*? \* ```\n \*\/\nexport function (\w+)/gs)].map(
      ([, name]) => name,
    ),
  );
  expect(names.toSorted()).toEqual(['apiKeys', 'orderTokens', 'orderUpdates']);
});

test.each(Object.entries(arbitraries))(
  '%s needs no options, repeats its values by seed and path, and makes each anew',
  (_, create) => {
    const values: fc.Arbitrary<unknown> = create();
    const failing = fc.property(values, () => false);
    const { seed, counterexamplePath, counterexample } = fc.check(failing, { seed: 5 });
    const replayed = fc.check(failing, { seed, path: counterexamplePath ?? '', endOnFailure: true });
    expect(fc.stringify(replayed.counterexample)).toBe(fc.stringify(counterexample));

    const sample = (seed: number) => fc.sample(values, { numRuns: inFull ? 200 : 25, seed });
    const before = fc.stringify(sample(7));
    for (const value of sample(7)) spoilDeep(value);
    expect(fc.stringify(sample(7))).toBe(before);
    expect(fc.stringify(sample(8))).not.toBe(before);
  },
);

/** Changes every object and list. */
function spoilDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(spoilDeep);
  if (Array.isArray(value)) value.push('spoiled');
  else Object.assign(value, { spoiled: true });
}
