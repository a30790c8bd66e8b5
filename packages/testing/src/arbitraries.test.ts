import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as arbitraries from './arbitraries.ts';

const run = promisify(execFile);

const sources = globSync(join(import.meta.dirname, 'arbitraries', '*.ts')).map((file) =>
  readFileSync(file, 'utf8'),
);

/** The code of each `@example`, by the function that it is of. */
const examples = sources.flatMap((text) =>
  [...text.matchAll(/ \* @example\n \* ```ts\n(.*?) \* ```\n \*\/\nexport function (\w+)/gs)].map(
    ([, code = '', name = '']) => [name, code.replaceAll(/^ \* ?/gm, '')] as const,
  ),
);

test('every function has an example', () => {
  expect(examples.map(([name]) => name).sort()).toEqual(Object.keys(arbitraries).sort());
});

test.each(examples)('the example of %s runs, and prints nothing', async (_, code) => {
  const flags = ['--conditions=@orders/source', '--input-type=module-typescript', '--eval', code];
  const ended = run(process.execPath, flags, { cwd: join(import.meta.dirname, '..'), timeout: 20_000 });
  await expect(ended).resolves.toEqual({ stdout: '', stderr: '' });
});

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
