import { expect, test } from 'vitest';
import { quick } from './measure/bench-settings.ts';
import { buildResult } from './report/build-result.ts';
import { formatResult } from './report/tables.ts';
import { runBenchmark } from './run-benchmark.ts';

const silent = { begin() {}, step() {}, end() {} };

test('a tiny run measures everything that it names', { timeout: 90_000 }, async () => {
  const settings = {
    ...quick,
    rounds: 1,
    requests: 40,
    peers: ['request', 'ours', 'by-hand'],
    carts: [1, 2],
    warmUpMs: 0,
    roundMs: 1,
    streamUpdates: 200,
  } as const;
  const measured = await runBenchmark(settings, silent);
  const place = { date: '2026-01-02', node: '24.0.0', cpu: 'a CPU', versionOf: () => '1.2.3' };
  const result = buildResult(measured, place);

  expect(result.carts.map(({ lines, peers }) => [lines, peers.map(({ name }) => name)])).toEqual([
    [1, ['request', 'ours', 'by-hand']],
    [2, ['request', 'ours', 'by-hand']],
  ]);
  for (const { ratio, perSecond, peakBytes } of result.carts.flatMap(({ peers }) => peers)) {
    for (const figure of [ratio.median, perSecond.median, peakBytes]) expect(figure).toBeGreaterThan(0);
  }
  const judged = result.targets.filter(({ figure }) => figure !== null);
  expect(judged).toHaveLength(6);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(formatResult(result, (text) => text)).toContain('Update with a cart of 1 line (');
});
