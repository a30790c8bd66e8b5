import { expect, test } from 'vitest';
import { peerList, peerNames } from '../peers/peer-list.ts';
import type { BenchResult } from './bench-result.ts';
import { drawChart } from './chart.ts';

const at = (median: number) => ({ median, low: median * 0.9, high: median * 1.1 });
const cart = {
  lines: 2,
  bodyBytes: 811,
  peers: peerNames.map((name, index) => ({
    name,
    label: peerList[name].label,
    version: '1.2.3',
    cpuMicros: at(50 + index),
    ratio: at(1 + index),
    perSecond: at(10_000),
    peakBytes: 1e8,
  })),
};
const result: BenchResult = {
  date: '2026-01-02',
  node: '24.0.0',
  cpu: 'A <CPU> & more',
  rounds: 9,
  concurrency: 32,
  carts: [cart],
  validation: [],
  imports: [],
  stream: { updates: 0, mostBytes: 0, growthBytes: 0 },
  service: [],
  targets: [],
};
const svg = drawChart(result, cart);
const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);

test('the chart names every peer, its ratio and where it was measured', () => {
  for (const { label } of cart.peers) expect(texts).toContain(label);
  expect(texts).toContain('3.00  (2.70–3.30)');
  expect(texts).toContain('2026-01-02, Node 24.0.0, A &lt;CPU&gt; &amp; more');
});

test('the axis begins at 0', () => {
  expect(texts).toContain('0');
});

test('one bar is highlighted, in light and in dark surroundings', () => {
  expect(svg.match(/<path [^>]*fill="#0969da"/g)).toHaveLength(1);
  expect(svg).toContain('[fill="#0969da"]{fill:#4493f8}');
});

test('it is well-formed where quotes matter: no attribute ends before its element does', () => {
  const attributes = svg.match(/<\w+((?:\s+[\w:-]+="[^"<]*")*)\s*\/?>/g) ?? [];
  expect(attributes).toHaveLength(svg.match(/<\w/g)?.length ?? 0);
});
