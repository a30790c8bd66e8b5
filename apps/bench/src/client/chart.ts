import type { Spread } from '../rounds.ts';

/** A bar of the chart. */
export interface Bar {
  readonly label: string;
  readonly ratio: Spread;
  readonly isOurs: boolean;
}

export interface ChartTexts {
  readonly title: string;
  readonly subtitle: string;
  readonly notes: readonly string[];
}

const [width, left, right, top, rowHeight] = [800, 176, 130, 74, 34];

// A page may be dark, and a picture in it can only ask the reader's system.
const style = `
  text { font: 13px system-ui, -apple-system, Helvetica, Arial, sans-serif; fill: var(--ink) }
  .title { font-size: 17px; font-weight: bold } .faint { fill: var(--faint) } .note { font-size: 11px }
  .ours { font-weight: bold } .bar { fill: var(--bar) } .bar.ours { fill: var(--ours) } line { stroke: var(--line) }
  svg { --paper: #fff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --bar: #afb8c1; --ours: #0969da }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --bar: #57606a; --ours: #4493f8 }
  }`;

/** Draws horizontal bars from 0, as an SVG document. */
export function drawChart(bars: readonly Bar[], { title, subtitle, notes }: ChartTexts): string {
  const most = Math.ceil(Math.max(...bars.map(({ ratio }) => ratio.median)));
  const scale = (value: number): number => Math.round(left + (value * (width - left - right)) / most);
  const bottom = top + bars.length * rowHeight;
  const height = bottom + 40 + notes.length * 16;
  const axis = Array.from({ length: most + 1 }, (_, value) => {
    const x = scale(value);
    return `<line x1="${x}" y1="${top}" x2="${x}" y2="${bottom}"/>${text(x, bottom + 18, String(value), 'faint note', 'middle')}`;
  });
  const rows = bars.map(({ label, ratio, isOurs }, row) => {
    const y = top + row * rowHeight;
    const figures = [ratio.low, ratio.high].map((value) => value.toFixed(2)).join('–');
    const value =
      ratio.low === ratio.high ? ratio.median.toFixed() : `${ratio.median.toFixed(2)}  (${figures})`;
    const ours = isOurs ? 'ours' : '';
    return [
      text(left - 8, y + 21, label, ours, 'end'),
      `<rect class="bar ${ours}" x="${left}" y="${y + 6}" width="${scale(ratio.median) - left}" height="22"/>`,
      text(scale(ratio.median) + 6, y + 21, value, ours),
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title><style>${style}</style>`,
    `<rect width="${width}" height="${height}" style="fill: var(--paper)"/>`,
    text(16, 28, title, 'title'),
    text(16, 50, subtitle, 'faint'),
    ...axis,
    ...rows,
    ...notes.map((note, line) => text(16, bottom + 46 + line * 16, note, 'faint note')),
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, classes: string, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" class="${classes}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

const escapeXml = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
