/**
 * Runs the sample app against a collector of its own, has its order service go down for a while, and draws what the app
 * exported: a trace, and its metrics.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly spanId: string }[];
}
interface Point {
  readonly timeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly asDouble?: number;
  readonly asInt?: number | string;
  readonly sum?: number;
  readonly count?: number | string;
}
interface Metric {
  readonly name: string;
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly sum?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}
type Line = { readonly label: string; readonly values: readonly (readonly [s: number, value: number])[] };

const phases = { healthyMs: 12_000, downMs: 15_000, recoveryMs: 28_000 };
const everyMs = 500;

const spans: Span[] = [];
const metrics: Metric[] = [];
const collector = createServer(async (request, response) => {
  const body = (await json(request)) as {
    resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
    resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[];
  };
  for (const { scopeSpans } of body.resourceSpans ?? [])
    spans.push(...scopeSpans.flatMap((scope) => scope.spans));
  for (const { scopeMetrics } of body.resourceMetrics ?? [])
    metrics.push(...scopeMetrics.flatMap((scope) => scope.metrics));
  response.setHeader('content-type', 'application/json').end('{}');
});
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const { port } = collector.address() as AddressInfo;

const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
const main = join(import.meta.dirname, '../../merchant/server/main.ts');
const ports = ['--port', '0', '--webhook-port', '0', '--service-port', '0'];
const app = spawn(process.execPath, ['--conditions=@orders/source', main, ...ports, '--data', folder], {
  env: {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRIC_EXPORT_INTERVAL: String(everyMs),
    OTEL_METRIC_EXPORT_TIMEOUT: String(everyMs),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
for await (const chunk of app.stdout.setEncoding('utf8')) {
  printed += chunk;
  if (printed.includes('Ctrl-C')) break;
}
const url = /Merchant app +(\S+)/.exec(printed)?.[1] ?? '';

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}
/** Enqueues bursts of updates for so long. */
async function load(ms: number): Promise<void> {
  for (const endsAt = Date.now() + ms; Date.now() < endsAt; await delay(everyMs))
    await call('POST', '/api/fault-injection/burst', { orders: 40, updates: 8 });
}

const { orders } = await call<{ orders: { token: string }[] }>('GET', '/api/orders');
const { token = '' } = orders.at(-1) ?? {};
await load(phases.healthyMs / 2);
await call('PUT', '/api/fault-injection', { scenario: 'lostResponse', percent: 8 });
await load(phases.healthyMs / 2);
await call('PUT', '/api/fault-injection', { scenario: 'down', percent: 100 });
await load(phases.downMs / 2);
const id = crypto.randomUUID();
const update = { cart: { items: [{ name: 'Mug', quantity: 1, price: 1_200 }] } };
await call('POST', `/api/orders/${token}/updates`, { id, update });
await load(phases.downMs / 2);
await call('PUT', '/api/fault-injection', { scenario: 'healthy', percent: 100 });
await load(phases.recoveryMs);
app.kill('SIGTERM');
await once(app, 'exit');
collector.close();
await rm(folder, { recursive: true, force: true });

const attributeOf = ({ attributes }: { readonly attributes?: readonly Attribute[] }, key: string) => {
  const { stringValue, intValue } = attributes?.find((each) => each.key === key)?.value ?? {};
  return stringValue ?? (intValue === undefined ? undefined : String(intValue));
};
const ms = (nanos: string): number => Number(BigInt(nanos) / 1_000n) / 1_000;

const style = `<style>
  svg { --ink: #1c2732; --faint: #4a5763; --line: #c3cad1; --box: #f5f6f5; --a: #17663f; --b: #2a5db0; --c: #7e4c00; --d: #ab231c }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e4e8eb; --faint: #adb8c2; --line: #3c4854; --box: #1c2329; --a: #7fd8a9; --b: #8db7ff; --c: #f4c678; --d: #ffa39b }
  }
  text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--faint) }
  .title { font-size: 14px; font-weight: 650; fill: var(--ink) }
  .code { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink) }
  .box { fill: var(--box); stroke: var(--line) }
  .grid { stroke: var(--line) }
  path { fill: none; stroke-width: 1.8 }
  .bar0 { fill: var(--b) } .bar1 { fill: var(--a) } .bar2 { fill: var(--c) }
  .line0 { stroke: var(--a); fill: none } .line1 { stroke: var(--b); fill: none } .line2 { stroke: var(--c); fill: none } .line3 { stroke: var(--d); fill: none }
  .name0 { fill: var(--a) } .name1 { fill: var(--b) } .name2 { fill: var(--c) } .name3 { fill: var(--d) }
</style>`;
const svg = (height: number, title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="${height}" viewBox="0 0 680 ${height}" role="img">
<title>${title}</title>
${style}
${parts.join('\n')}
</svg>
`;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x: number, y: number, content: string, kind = ''): string =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escaped(content)}</text>`;

/** The spans of a trace below one, depth first. */
function below(root: Span, depth = 0): readonly (readonly [Span, number])[] {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  return [[root, depth], ...children.flatMap((child) => below(child, depth + 1))];
}

/** Draws a trace as rows of bars. */
function drawTrace(root: Span, y: number, what: string): readonly string[] {
  const rows = below(root);
  const from = ms(root.startTimeUnixNano);
  const to = Math.max(...rows.map(([span]) => ms(span.endTimeUnixNano)));
  const x = (at: number): number => 370 + (220 * (at - from)) / (to - from);
  const lines = rows.map(([span, depth], index) => {
    const top = y + 52 + index * 46;
    const [start, end] = [ms(span.startTimeUnixNano), ms(span.endTimeUnixNano)];
    const shown = ['orders.outcome', 'http.response.status_code', 'url.template', 'orders.update.attempt']
      .flatMap((key) =>
        attributeOf(span, key) === undefined
          ? []
          : `${key.replace(/^orders\.update\.|^orders\./, '')} ${attributeOf(span, key)}`,
      )
      .join(', ');
    return [
      text(32 + depth * 18, top, span.name, 'code'),
      text(32 + depth * 18, top + 17, shown),
      `<rect class="bar${depth}" x="${x(start).toFixed(1)}" y="${top - 10}" width="${Math.max(2, x(end) - x(start)).toFixed(1)}" height="12" rx="2"/>`,
      `<text x="656" y="${top}" text-anchor="end">${(end - start).toFixed(1)} ms</text>`,
    ].join('\n');
  });
  const box = `<rect class="box" x="16" y="${y}" width="648" height="${50 + rows.length * 46}" rx="8"/>`;
  return [
    box,
    text(32, y + 26, what, 'title'),
    text(545, y + 26, `trace ${root.traceId.slice(0, 8)}…`),
    ...lines,
  ];
}

const sends = spans.filter((span) => attributeOf(span, 'orders.update.id') === id);
const send = sends.find((span) => attributeOf(span, 'orders.outcome') === 'applied');
const request = spans.find(({ spanId }) => spanId === send?.links?.[0]?.spanId);
if (!send || !request) throw new Error('The update has no send that links to a request.');
const laterS = (ms(send.startTimeUnixNano) - ms(request.startTimeUnixNano)) / 1_000;
const first = drawTrace(request, 8, 'The request that enqueued the update');
const second = drawTrace(send, 170, 'The send, once the service was back');
const pictures = join(import.meta.dirname, '../pages/public');
await writeFile(
  join(pictures, 'trace.svg'),
  svg(170 + 50 + below(send).length * 46 + 10, 'A request of the shop, and the send that is linked to it', [
    '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0 0 L8 4 L0 8 z" style="fill: var(--b)"/></marker></defs>',
    ...first,
    '<path class="line1" d="M48 170 V108" stroke-dasharray="5 4" marker-end="url(#head)"/>',
    text(60, 144, `link, ${laterS.toFixed(1)} s later`),
    ...second,
  ]),
);

const all = metrics.flatMap(({ name, gauge, sum, histogram }) =>
  [...(gauge?.dataPoints ?? []), ...(sum?.dataPoints ?? []), ...(histogram?.dataPoints ?? [])].map(
    (point) => ({
      name,
      point,
    }),
  ),
);
const begin = Math.min(
  ...all.filter(({ name }) => name.startsWith('orders.')).map(({ point }) => ms(point.timeUnixNano)),
);

/** The points of a metric as lines, one for each value of an attribute. */
function linesOf(metric: string, attribute: string, read: (point: Point) => number): readonly Line[] {
  const points = all.filter(({ name }) => name === metric).map(({ point }) => point);
  const labels = [...new Set(points.map((point) => attributeOf(point, attribute) ?? ''))];
  return labels.map((label) => ({
    label,
    values: points
      .filter((point) => (attributeOf(point, attribute) ?? '') === label)
      .map((point) => [(ms(point.timeUnixNano) - begin) / 1_000, read(point)] as const)
      .toSorted(([a], [b]) => a - b),
  }));
}
/** What a counter grew by, a second. */
function rateOf({ label, values }: Line): Line {
  const rates = values.flatMap(([at, value], index) => {
    const [before, earlier] = values[index - 1] ?? [at - everyMs / 1_000, 0];
    return at === before ? [] : [[at, (value - earlier) / (at - before)] as const];
  });
  return { label, values: rates };
}
const read = ({ asDouble, asInt }: Point): number => asDouble ?? Number(asInt ?? 0);

/** Draws lines over time. */
function drawChart(y: number, what: string, lines: readonly Line[]): readonly string[] {
  const [left, top, width, height] = [64, y + 34, 596, 90];
  const lastS = Math.max(...lines.flatMap(({ values }) => values.map(([at]) => at)));
  const most = Math.max(1, ...lines.flatMap(({ values }) => values.map(([, value]) => value)));
  const px = (at: number): string => (left + (width * at) / lastS).toFixed(1);
  const py = (value: number): string => (top + height - (height * value) / most).toFixed(1);
  let labelX = 664;
  return [
    text(16, y + 16, what, 'code'),
    ...[0, most / 2, most].map(
      (value) =>
        `<path class="grid" d="M${left} ${py(value)} H${left + width}" style="stroke-width: 0.6"/>\n<text x="${left - 8}" y="${Number(py(value)) + 4}" text-anchor="end">${most < 10 ? value.toFixed(1) : Math.round(value)}</text>`,
    ),
    ...lines.map(
      ({ values }, index) =>
        `<path class="line${index}" d="${values.map(([at, value], place) => `${at - (values[place - 1]?.[0] ?? Number.NEGATIVE_INFINITY) < 2 ? 'L' : 'M'}${px(at)} ${py(value)}`).join(' ')}"/>`,
    ),
    ...lines
      .map(({ label }, index) => ({ label, index }))
      .toReversed()
      .filter(({ label }) => label !== '')
      .map(({ label, index }) => {
        labelX -= label.length * 7 + 14;
        return text(labelX, y + 16, label, `name${index}`);
      }),
    ...[0, 10, 20, 30, 40]
      .filter((at) => at < lastS)
      .map((at) => text(Number(px(at)), top + height + 16, `${at} s`)),
  ];
}
const byOutcome = linesOf('orders.update.outcomes', 'outcome', read).map(rateOf);
const sums = linesOf('orders.update.duration', 'outcome', ({ sum = 0 }) => sum).map(rateOf);
const counts = linesOf('orders.update.duration', 'outcome', ({ count = 0 }) => Number(count)).map(rateOf);
const averages = sums.map(({ label, values }, index) => ({
  label,
  values: values.flatMap(([at, sum], place) => {
    const count = counts[index]?.values[place]?.[1] ?? 0;
    return count > 0 ? [[at, (1_000 * sum) / count] as const] : [];
  }),
}));
await writeFile(
  join(pictures, 'metrics.svg'),
  svg(660, 'The four metrics while the order service loses responses, and is then down for a while', [
    ...drawChart(4, 'orders.update.outcomes, per second', byOutcome),
    ...drawChart(168, 'orders.update.duration, average in ms', averages),
    ...drawChart(332, 'orders.outbox.updates', linesOf('orders.outbox.updates', 'state', read)),
    ...drawChart(496, 'orders.outbox.oldest_due, in s', linesOf('orders.outbox.oldest_due', 'none', read)),
  ]),
);
process.stdout.write(
  `${spans.length} spans, ${sends.length} sends of the update, metrics: ${[...new Set(all.map(({ name }) => name))].join(', ')}\n`,
);
