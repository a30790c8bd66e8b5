/** A bar of the chart, of one part or of several in a row. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly { readonly value: number; readonly color?: Color }[];
  /** What stands behind the bar. */
  readonly note: string;
  readonly isOurs: boolean;
}

type Color = 'a' | 'b' | 'c' | 'd';

export interface ChartTexts {
  readonly title: string;
  readonly subtitle: string;
  /** What the colors of parts mean. */
  readonly legend?: readonly { readonly color: Color; readonly label: string }[];
  readonly notes: readonly string[];
}

const width = 800;

// A page may be dark, and a picture in it can only ask the reader's system.
const style = `
  text { font: 13px system-ui, -apple-system, Helvetica, Arial, sans-serif; fill: var(--ink) }
  .title { font-size: 17px; font-weight: bold } .faint { fill: var(--faint) } .note { font-size: 11px }
  .ours { font-weight: bold } .bar { fill: var(--bar) } .bar.ours { fill: var(--ours) } line { stroke: var(--line) }
  .a { fill: #cf222e } .b { fill: #e16f24 } .c { fill: #d4a72c } .d { fill: var(--bar) }
  svg { --paper: #fff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --bar: #afb8c1; --ours: #0969da }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --bar: #57606a; --ours: #4493f8 }
  }`;

/** Draws horizontal bars from 0, as an SVG document. */
export function drawChart(bars: readonly Bar[], { title, subtitle, legend = [], notes }: ChartTexts): string {
  const most = Math.max(...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const step = 10 ** Math.floor(Math.log10(most));
  const steps = Math.ceil(most / step);
  const rowHeight = bars.length > 10 ? 26 : 34;
  const longest = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length)) * 7;
  const left = Math.max(176, longest(bars.map(({ label }) => label)) + 8);
  const right = Math.max(130, longest(bars.map(({ note }) => note)) + 8);
  const scale = (value: number): number => Math.round((value * (width - left - right)) / (steps * step));
  const top = legend.length > 0 ? 98 : 74;
  const bottom = top + bars.length * rowHeight;
  const height = bottom + 40 + notes.length * 16;
  const axis = Array.from({ length: steps + 1 }, (_, count) => {
    const x = left + scale(count * step);
    const value = text(x, bottom + 18, (count * step).toLocaleString('en'), 'faint note', 'middle');
    return `<line x1="${x}" y1="${top}" x2="${x}" y2="${bottom}"/>${value}`;
  });
  const rows = bars.map(({ label, parts, note, isOurs }, row) => {
    const y = top + row * rowHeight;
    const ours = isOurs ? 'ours' : '';
    let x = left;
    const drawn = parts.map(({ value, color = ours }) => {
      const part = `<rect class="bar ${color}" x="${x}" y="${y + 6}" width="${scale(value)}" height="${rowHeight - 12}"/>`;
      x += scale(value);
      return part;
    });
    return [
      text(left - 8, y + rowHeight / 2 + 4, label, ours, 'end'),
      ...drawn,
      text(x + 6, y + rowHeight / 2 + 4, note, ours),
    ].join('');
  });
  let place = 16;
  const keys = legend.map(({ color, label }) => {
    const key = `<rect class="${color}" x="${place}" y="64" width="11" height="11"/>`;
    const name = text(place + 16, 74, label, 'faint note');
    place += 40 + label.length * 6;
    return key + name;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title><style>${style}</style>`,
    `<rect width="${width}" height="${height}" style="fill: var(--paper)"/>`,
    text(16, 28, title, 'title'),
    text(16, 50, subtitle, 'faint'),
    ...keys,
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
