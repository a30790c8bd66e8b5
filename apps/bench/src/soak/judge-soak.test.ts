import { expect, test } from 'vitest';
import { orderTokens } from '../workload/order-tokens.ts';
import { judgeSoak, type SoakRecord } from './judge-soak.ts';

// Applied, rejected, not sent, and two of unknown outcome, of which one was applied.
const sound: SoakRecord = {
  outcomes: Uint8Array.from([1, 2, 3, 4, 4]),
  applied: [[0, 3]],
  faults: {},
  repeated: 0,
  held: [
    { heap: 10_000_000, buffers: 5_000_000 },
    { heap: 12_000_000, buffers: 9_000_000 },
  ],
  sockets: [64, 64],
  socketsAfterClose: 0,
  concurrency: 64,
};
const broken = (change: Partial<SoakRecord>): string[] =>
  judgeSoak({ ...sound, ...change })
    .filter(({ holds }) => !holds)
    .map(({ check }) => check);

test('what both sides agree on holds', () => {
  expect(broken({})).toEqual([]);
});

test.each([
  ['calls that never settled', { outcomes: Uint8Array.from([1, 2, 3, 4, 0]) }],
  ['calls that settled more than once', { repeated: 1 }],
  ['applied, and not once in the ledger', { applied: [[0, 0, 3]] }],
  ['applied, and not once in the ledger', { applied: [[3]] }],
  ['rejected, and in the ledger', { applied: [[0, 1, 3]] }],
  ['not sent, and in the ledger', { applied: [[0, 2, 3]] }],
  ['unknown, and more than once in the ledger', { applied: [[0, 3, 3]] }],
  ['sockets after close', { socketsAfterClose: 1 }],
] as const)('finds: %s', (check, change) => {
  expect(broken(change)).toContain(check);
});

test('finds what grows', () => {
  expect(
    broken({
      held: [
        { heap: 1e7, buffers: 0 },
        { heap: 2e7, buffers: 2e7 },
      ],
    }),
  ).toEqual([expect.stringContaining('heap'), expect.stringContaining('buffers')]);
  expect(broken({ sockets: [64, 257] })).toEqual([expect.stringContaining('sockets at the end')]);
});

test('finds an update that overtook another of its order', () => {
  const later = orderTokens.length;
  const outcomes = new Uint8Array(later + 1).fill(4);
  outcomes[0] = 1;
  outcomes[later] = 1;
  expect(broken({ outcomes, applied: [[later, 0]] })).toEqual([
    'updates that overtook another of their order',
  ]);
  expect(broken({ outcomes, applied: [[0, later]] })).toEqual([]);
});
