import { expect, test } from 'vitest';
import { foretellOutcomes, promiseOutcomes } from './promised-outcomes.ts';

test.each([
  [{ trouble: 'none', percent: 40 }, [['applied', 100]]],
  [{ trouble: 'slow', percent: 100 }, [['applied', 100]]],
  [{ trouble: 'busy', percent: 100 }, [['rejected', 100]]],
  [
    { trouble: 'busy', percent: 50 },
    [
      ['applied', 87],
      ['rejected', 13],
    ],
  ],
  [{ trouble: 'busy', percent: 10 }, [['applied', 100]]],
  [
    { trouble: 'failing', percent: 30 },
    [
      ['applied', 70],
      ['unknown', 30],
    ],
  ],
  [{ trouble: 'reset_after_applying', percent: 100 }, [['unknown', 100]]],
  [{ trouble: 'down', percent: 10 }, [['not_sent', 100]]],
] as const)('foretells of %j what a hundred updates become', (setting, shares) => {
  expect(foretellOutcomes(setting, 'client')).toEqual(shares);
});

test('promises that the outbox sends until an update is applied, and that an unknown outcome needs review', () => {
  expect(foretellOutcomes({ trouble: 'busy', percent: 100 }, 'outbox')).toEqual([['applied', 100]]);
  expect(promiseOutcomes('down', 'outbox')).toEqual(['applied']);
  expect(promiseOutcomes('failing', 'outbox')).toEqual(['unknown']);
});
