import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FAULT_KINDS } from './fault-kinds.ts';

const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');

/** The rows of the fault table: a name of the first column, the cells with its options and with what it applies. */
const documented = (readme.split('\n## Making it fail\n')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, names = '', , options = '', applied = '']) =>
    [...names.matchAll(/\w+/g)].map(([name]) => ({ name, options, applied })),
  );

test('the README shows each fault with its options and whether it applies', () => {
  expect(documented.map(({ name }) => name).sort()).toEqual(Object.keys(FAULT_KINDS).sort());
  for (const { name, options, applied } of documented) {
    const kind = FAULT_KINDS[name as keyof typeof FAULT_KINDS];
    const { applied: says, ...fields } = { applied: undefined, ...kind.fields };
    for (const field of Object.keys(fields)) expect(options).toContain(`\`${field}\``);
    const isFree = says?.wants === 'true or false';
    const words = kind.applied ? { true: 'yes', false: 'always' } : { true: 'no', false: 'never' };
    const expected = name === 'status' ? 'with a 2xx' : name === 'none' ? 'as usual' : words[`${isFree}`];
    expect([name, applied]).toEqual([name, expected]);
  }
});
