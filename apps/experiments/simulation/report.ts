import { describe, type Event, name, type Observer } from './observer.ts';

const widths = { time: 10, who: 12, order: 22 };

/** A run as a person reads it: time goes down, each order has a column, and what concerns none goes across. */
export function formatRun({ events, violations }: Observer): string {
  const tokens = [...new Set(events.flatMap(({ token }) => token ?? []))].toSorted();
  const cell = (text: string, width: number): string => text.slice(0, width - 1).padEnd(width);
  const line = ({ atMs, who, what, id, token }: Event): string => {
    const start = `${cell((atMs / 1_000).toFixed(3), widths.time)}${cell(who, widths.who)}`;
    if (token === undefined) return `${start}${id === undefined ? '' : `${name(id)} `}${what}`;
    const before = ' '.repeat(widths.order * tokens.indexOf(token));
    return `${start}${before}${id === undefined ? '' : `${name(id)} `}${what}`;
  };
  const header = `${cell('seconds', widths.time)}${cell('who', widths.who)}${tokens.map((token) => cell(token, widths.order)).join('')}`;
  return [header.trimEnd(), ...events.map(line), '', ...violations.map(describe)].join('\n');
}
