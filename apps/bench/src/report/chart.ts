import { BarChart } from 'echarts/charts';
import { GridComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { baseline, peerList } from '../peers/peer-list.ts';
import type { BenchResult, CartResult } from './bench-result.ts';
import type { Spread } from './statistics.ts';

/** Colours by their use, in light and in dark surroundings. */
const colours = {
  paper: ['#ffffff', '#0d1117'],
  ink: ['#1f2328', '#e6edf3'],
  faint: ['#59636e', '#9198a1'],
  line: ['#d1d9e0', '#30363d'],
  bar: ['#afb8c1', '#57606a'],
  ours: ['#0969da', '#4493f8'],
} as const;
const light = (use: keyof typeof colours): string => colours[use][0];

const title = 'Client CPU per update, undici.request = 1';
const ours = peerList.ours.label;
const width = 800;
const rowHeight = 34;
const top = 74;
const bottom = 72;

/** Draws the CPU of each peer per request, as a multiple of `undici.request`, for one cart: an SVG document. */
export function drawChart(result: BenchResult, cart: CartResult): string {
  use([BarChart, GridComponent, TitleComponent, SVGRenderer]);
  const height = top + bottom + cart.peers.length * rowHeight;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(chartOption(result, cart));
    return withDarkColours(still(chart.renderToSVGString(), title));
  } finally {
    chart.dispose();
  }
}

function chartOption(result: BenchResult, { lines, peers }: CartResult): EChartsCoreOption {
  const { date, node, cpu, rounds, concurrency } = result;
  const byCost = peers.toSorted((a, b) => a.ratio.median - b.ratio.median);
  return {
    animation: false,
    backgroundColor: light('paper'),
    // A name in quotes would break the attribute that the library puts it in.
    textStyle: { fontFamily: 'system-ui, -apple-system, Helvetica, Arial, sans-serif' },
    title: [
      {
        text: title,
        subtext: `PATCH with a cart of ${lines} lines, JSON answer parsed; less is better`,
        left: 16,
        top: 12,
        textStyle: { fontSize: 17, color: light('ink') },
        subtextStyle: { fontSize: 13, color: light('faint') },
      },
      {
        subtext: [
          `Median of ${rounds} alternating rounds (quartiles), ${concurrency} in flight, a process each.`,
          `${date}, Node ${node}, ${cpu}`,
        ].join('\n'),
        left: 16,
        bottom: 4,
        subtextStyle: { fontSize: 11, lineHeight: 15, color: light('faint') },
      },
    ],
    grid: { left: 176, right: 130, top, bottom },
    xAxis: {
      type: 'value',
      min: 0,
      splitLine: { lineStyle: { color: light('line') } },
      axisLabel: { color: light('faint') },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: byCost.map(({ label }) => label),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: light('line') } },
      axisLabel: {
        fontSize: 13,
        color: light('ink'),
        formatter: (label: string) => (label === ours ? `{ours|${label}}` : label),
        rich: { ours: { fontSize: 13, fontWeight: 'bold', color: light('ink') } },
      },
    },
    series: [
      {
        type: 'bar',
        barCategoryGap: '34%',
        data: byCost.map(({ name, ratio }) => ({
          value: ratio.median,
          itemStyle: { color: light(name === 'ours' ? 'ours' : 'bar') },
          label: {
            show: true,
            position: 'right',
            formatter: name === baseline ? '1' : labelOf(ratio),
            color: light('ink'),
            // Keeps the lines of the grid away from the figures.
            textBorderColor: light('paper'),
            textBorderWidth: 4,
            fontWeight: name === 'ours' ? 'bold' : 'normal',
          },
        })),
      },
    ],
  };
}

function labelOf({ median, low, high }: Spread): string {
  return `${median.toFixed(2)}  (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** Makes a still picture of the document: no colours for a pointer that hovers, but words for who cannot see it. */
function still(svg: string, words: string): string {
  return svg
    .replace(/<style ><!\[CDATA\[.*?\]\]>\s*<\/style>\n?/s, '')
    .replaceAll(/ (class="zr[^"]*"|pointer-events="visible")/g, '')
    .replace(/(<svg[^>]*)>/, `$1 role="img">\n<title>${words}</title>`);
}

/** A page may be dark, and a picture in it can only ask the reader's system. */
function withDarkColours(svg: string): string {
  const rules = Object.values(colours).flatMap(([from, to]) =>
    ['fill', 'stroke'].map((paint) => `[${paint}="${from}"]{${paint}:${to}}`),
  );
  const style = `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
  return svg.replace('</title>', `</title>\n${style}`);
}
