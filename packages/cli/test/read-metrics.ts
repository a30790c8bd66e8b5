/** Reads the text format of Prometheus: each series, written as in the text, with its value. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (kind === 'TYPE') types.set(name, rest);
    if (line === '' || kind !== undefined) continue;
    const [, key = '', metric = '', value] = /^((\w+)(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
    const known = types.has(metric) || types.has(metric.replace(/_(bucket|sum|count)$/, ''));
    if (value === undefined || !known || series.has(key)) throw new Error(`This is no metric: ${line}`);
    series.set(key, Number(value));
  }
  return series;
}
