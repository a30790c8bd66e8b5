import { expect, test } from 'vitest';
import { added, breaking } from './api-change.ts';
import { neededLevel, pendingLevel } from './api-levels.ts';

const addition = added('send', 'send');
const removal = breaking('send', 'send was removed');

test.each([
  ['1.2.3', [], 'none'],
  ['1.2.3', [addition], 'minor'],
  ['1.2.3', [addition, removal], 'major'],
  ['2.0.0-next.1', [removal], 'major'],
  ['0.4.1', [], 'none'],
  ['0.4.1', [addition], 'patch'],
  ['0.4.1', [removal], 'minor'],
  ['0.0.0', [removal], 'none'],
] as const)('%s with %j needs %s', (version, changes, level) => {
  expect(neededLevel(version, changes)).toBe(level);
});

test('the highest of the pending changesets counts, and only for the package that it names', () => {
  const pending = [
    { releases: [{ name: 'a', type: 'minor' }] },
    {
      releases: [
        { name: 'a', type: 'patch' },
        { name: 'b', type: 'major' },
      ],
    },
  ] as const;
  expect(pendingLevel('a', pending)).toBe('minor');
  expect(pendingLevel('c', pending)).toBe('none');
});
