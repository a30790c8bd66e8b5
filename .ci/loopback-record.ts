import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** One attempt to reach something other than loopback, by a test or by a process or thread that it started. */
export interface Refusal {
  readonly id: string;
  readonly syscall: string;
  readonly hostname: string;
  /** Host and, where one is known, port. */
  readonly place: string;
  /** The line of code that asked, as a stack trace shows it. */
  readonly at?: string;
}

type Entry = Refusal | { readonly settled: string };

/** The refusals of a record that nobody has answered for yet. */
export function readRefusals(file: string): readonly Refusal[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const entries: readonly Entry[] = lines.map((line) => JSON.parse(line));
  const settled = new Set(entries.map((entry) => ('settled' in entry ? entry.settled : undefined)));
  return entries.filter((entry): entry is Refusal => !('settled' in entry) && !settled.has(entry.id));
}

/** Takes refusals off a record. Others may write to it at the same time, so it is only ever added to. */
export function settleRefusals(file: string, refusals: readonly Refusal[]): void {
  for (const { id } of refusals) appendFileSync(file, `${JSON.stringify({ settled: id })}\n`);
}

/** Says what was refused, and what to do about it. */
export function describeRefusals(refusals: readonly Refusal[]): string {
  const shown = refusals
    .slice(0, 10)
    .map(({ syscall, place, at }) => `  ${syscall} ${place} ${at ?? ''}`.trimEnd());
  const more = refusals.length > shown.length ? [`  and ${refusals.length - shown.length} more`] : [];
  return ['Tests talk to loopback alone. Refused:', ...shown, ...more].join('\n');
}
