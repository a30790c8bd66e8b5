import { expect, onTestFinished, test } from 'vitest';
import { buildScaleResult } from './build-scale-result.ts';
import { formatScale, formatScalePage } from './format-scale.ts';
import { runScale } from './run-scale.ts';
import { readScaleArguments } from './scale-arguments.ts';

/** Whether what takes long is measured too: `pnpm --filter bench test:long`. */
const inFull = (import.meta as { readonly env?: { readonly MODE?: string } }).env?.MODE === 'long';
const timeout = 120_000;
const silent = { begin() {}, step() {}, end() {} };
const place = { date: '2026-01-02', node: '24.0.0', cpu: 'a CPU', versionOf: () => '1.2.3' };

async function measure(words: string) {
  const wanted = readScaleArguments(`--no-fsync --rounds 1 ${words}`.split(' '));
  if (wanted.wish !== 'run') throw new Error(JSON.stringify(wanted));
  const ending = new AsyncDisposableStack();
  onTestFinished(() => ending.disposeAsync());
  return buildScaleResult(await runScale(wanted.order.settings, silent, ending), place);
}

test('drains each queue with each number of processes, and nothing is lost', { timeout }, async () => {
  const queues = 'ours,graphile-batched';
  const result = await measure(`--only drain --queues ${queues} --updates 40 --orders 8 --processes 2`);
  expect(result.drain.map(({ name, processes }) => [name, processes])).toEqual([
    ['ours', 2],
    ['graphile-batched', 2],
  ]);
  for (const { perSecond, lost, repeated, outOfOrder } of result.drain) {
    expect(perSecond.median).toBeGreaterThan(0);
    expect([lost, repeated, outOfOrder]).toEqual([0, 0, 0]);
  }
  expect(result.alone.map(({ sender }) => sender)).toEqual(['dispatch', 'ours']);
  expect([result.depth, result.latency, result.rate, result.redis]).toEqual([[], [], [], null]);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(formatScale(result, (text) => text)).toContain('Draining 40 updates of 8 orders');
  expect(formatScalePage(result)).toContain('| ours, PostgreSQL | 1.2.3 | 2 |');
});

test.runIf(inFull)(
  'measures a long queue, the way of an update and the shared rate',
  { timeout },
  async () => {
    const sizes = '--orders 8 --processes 2 --depths 20 --window 20 --samples 5 --seconds 1';
    const result = await measure(`--only depth,latency,rate --queues ours ${sizes}`);
    expect(result.depth.map(({ depth, measured }) => [depth, measured >= 20])).toEqual([[20, true]]);
    expect(result.depth[0]?.perUpdateMs.median).toBeGreaterThan(0);
    expect(result.latency.map(({ apart }) => apart)).toEqual([false, true]);
    for (const { p50, p99 } of result.latency) expect(p50.median).toBeLessThanOrEqual(p99.median);
    expect(result.rate.map(({ processes, burst }) => [processes, burst])).toEqual([
      [2, 1],
      [2, 10],
    ]);
    for (const { most } of result.rate) expect(most).toBeGreaterThan(25);
  },
);
