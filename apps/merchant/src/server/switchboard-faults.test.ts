import { expect, test } from 'vitest';
import { Trouble } from '../contract/switchboard-view.ts';
import { switchboardFaults } from './switchboard-faults.ts';

test('all well is no fault', () => {
  expect(switchboardFaults({ trouble: 'none', percent: 50 })).toEqual([]);
});

test.each(Trouble.options.filter((trouble) => trouble !== 'none' && trouble !== 'down'))(
  '%s befalls a share of the updates and nothing else',
  (trouble) => {
    expect(switchboardFaults({ trouble, percent: 25 })).toEqual([
      expect.objectContaining({ when: 'sometimes', probability: 0.25, operation: 'update' }),
    ]);
  },
);

test('busy asks to come back, failing does not', () => {
  const [busy, failing] = (['busy', 'failing'] as const).flatMap((trouble) =>
    switchboardFaults({ trouble, percent: 100 }).map(({ play }) => play),
  );
  expect(busy).toEqual({ fault: 'status', status: 503, headers: { 'retry-after': '1' } });
  expect(failing).toEqual({ fault: 'status', status: 503 });
});
