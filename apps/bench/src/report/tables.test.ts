import { expect, test } from 'vitest';
import type { CartResult, PeerResult } from './bench-result.ts';
import { cartRows, targetRows } from './tables.ts';
import { judgeTargets } from './targets.ts';

const at = (median: number) => ({ median, low: median * 0.9, high: median * 1.1 });
const peer = (name: PeerResult['name'], label: string): PeerResult => ({
  name,
  label,
  version: '1.2.3',
  cpuMicros: at(51.26),
  ratio: at(1.5),
  perSecond: at(12_345.6),
  peakBytes: 104_857_600,
});
const cart: CartResult = {
  lines: 2,
  bodyBytes: 811,
  peers: [peer('axios', 'axios'), peer('ours', 'our own')],
};

test('a row shows CPU, ratio with quartiles, throughput and memory', () => {
  const [, axios] = cartRows(cart, (text) => text);
  expect(axios).toEqual(['axios', '1.2.3', '51.3 µs', '1.50 (1.35–1.65)', '12,346', '100 MiB']);
});

test('only our row is highlighted', () => {
  const rows = cartRows(cart, (text) => `*${text}*`);
  expect(rows.map(([label]) => label)).toEqual(['', 'axios', '*our own*']);
});

test('a target row says whether it holds, and nothing when it was not measured', () => {
  const rows = targetRows(
    judgeTargets({
      toByHand: 0.8,
      toRequest: undefined,
      toFetch: 0.4,
      toAxios: undefined,
      toDispatchLarge: undefined,
      streamMiB: 4,
      streamGrowthMiB: 0,
      importToUndici: 1,
      bareToService: 1,
    }),
  );
  expect(rows.slice(1, 4).map((row) => row.slice(1))).toEqual([
    ['0.85 times', '0.80 times', 'yes'],
    ['1.15 times', 'not measured', ''],
    ['0.30 times', '0.40 times', 'NO'],
  ]);
});
