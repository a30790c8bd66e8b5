import { type Answer, answerText } from '../service/answer.ts';
import { boundList } from './bounded-list.ts';
import { ControlRefusal } from './control-error.ts';

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The id of the entry that was read last, or a number of entries to pass over. @default the last entries are read */
  readonly after: string | undefined;
  /** What names an entry, and no other one, for a reader to continue from. @default only numbers are taken */
  idOf?(entry: Entry): string;
  /** Whether the reader wants the entry; takes ids. @default every one is wanted */
  wants?(entry: Entry): boolean;
  /** The entry as JSON. @default as it is */
  show?(entry: Entry): unknown;
}

/**
 * Answers `{ entries, next, omitted }`: the entries that follow `after`, else the last ones.
 *
 * `next` is what to give as `after` the next time; `omitted` is how many entries found no room in the answer: later
 * ones with `after`, earlier ones without.
 */
export function answerPage<Entry>({ entries, after, idOf, wants, show }: Page<Entry>): Answer {
  const start = after === undefined ? 0 : findStart(entries, after, idOf);
  const wanted = entries.slice(start).filter((entry) => wants === undefined || wants(entry));
  const { json, shown, omitted } = boundList(wanted, after === undefined ? 'last' : 'first', show);
  const last = shown.at(-1);
  const passed = after === undefined ? entries.length : start + shown.length;
  const next = last === undefined ? (after ?? '0') : (idOf?.(last) ?? String(passed));
  return answerText(200, `{"entries":${json},"next":${JSON.stringify(next)},"omitted":${omitted}}`, {
    'content-type': 'application/json',
  });
}

function findStart<Entry>(entries: readonly Entry[], after: string, idOf: Page<Entry>['idOf']): number {
  const index = idOf === undefined ? -1 : entries.findLastIndex((entry) => idOf(entry) === after);
  if (index !== -1) return index + 1;
  if (/^\d{1,15}$/.test(after) && Number(after) <= entries.length) return Number(after);
  throw new ControlRefusal(422, {
    code: 'query_refused',
    message: `after: there is no such entry; give the "next" of an earlier answer, or a number up to ${entries.length}.`,
  });
}
