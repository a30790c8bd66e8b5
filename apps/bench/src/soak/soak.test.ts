import { expect, test } from 'vitest';
import { holds } from '../report.ts';
import { orderTokens } from '../workload.ts';
import { judgeSoak, type SoakRecord } from './run-soak.ts';

const sound: SoakRecord = {
  outcomes: [['applied'], ['rejected'], ['not_sent'], ['unknown'], ['unknown']],
  applied: [0, 3],
  faults: {},
  held: [
    { heap: 10_000_000, buffers: 5_000_000, sockets: 64 },
    { heap: 12_000_000, buffers: 9_000_000, sockets: 64 },
  ],
  socketsAfterClose: 0,
};
const broken = (change: Partial<SoakRecord>): string[] =>
  judgeSoak({ ...sound, ...change })
    .filter((target) => !holds(target))
    .map(({ target }) => target);

test('what both sides agree on holds', () => {
  expect(broken({})).toEqual([]);
});

test.each([
  ['updates without exactly one outcome', { outcomes: [...sound.outcomes.slice(0, 4), []] }],
  ['updates without exactly one outcome', { outcomes: [...sound.outcomes, ['unknown', 'unknown']] }],
  ['applied, and not exactly once in the ledger', { applied: [0, 0, 3] }],
  ['applied, and not exactly once in the ledger', { applied: [3] }],
  ['rejected, and in the ledger', { applied: [0, 1, 3] }],
  ['not sent, and in the ledger', { applied: [0, 2, 3] }],
  ['unknown, and more than once in the ledger', { applied: [0, 3, 3] }],
  [
    'growth of the heap after the first leg',
    {
      held: [
        { heap: 1, buffers: 1, sockets: 1 },
        { heap: 1e7, buffers: 1, sockets: 1 },
      ],
    },
  ],
  ['sockets at the end', { held: [{ heap: 1, buffers: 1, sockets: 257 }] }],
  ['sockets after close', { socketsAfterClose: 1 }],
] as const)('finds: %s', (target, change) => {
  expect(broken(change)).toContain(target);
});

test('finds an update that overtook another of its order', () => {
  const later = orderTokens.length;
  const outcomes = Array.from(
    { length: later + 1 },
    (_, index) => [index % later === 0 ? 'applied' : 'unknown'] as const,
  );
  expect(broken({ outcomes, applied: [later, 0] })).toEqual(['updates that overtook another of their order']);
  expect(broken({ outcomes, applied: [0, later] })).toEqual([]);
});
