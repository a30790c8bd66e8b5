import { isDeepStrictEqual } from 'node:util';
import type { JournalEntry, LedgerEntry } from '@orders/testing';
import type { JudgeCase, Outcome } from './judge-cases.ts';

/** An update as the program finds it in its file. */
export interface GivenUpdate {
  readonly id: string;
  readonly token: string;
  readonly update: object;
}

/** What the program said of an update; `error` is an `"ok": false`, which has no outcome. */
interface Claim {
  readonly outcome: Outcome | 'error';
  /** How many requests had arrived by then. */
  readonly arrived: number;
}

/** What can be wrong, and how a report names it. */
export const wrongs = {
  applied_twice: 'applied more than once',
  denied: 'reported as rejected or not_sent, but applied',
  error: 'reported as an error without an outcome, but applied',
  claimed: 'reported as applied, but not applied',
  overtaken: 'applied after a later update of its order',
  late: 'arrived after its report',
  altered: 'applied, but not as in the file',
  no_report: 'without a report',
  unreadable: 'lines that are no report',
  key_elsewhere: 'requests with the key to another host',
  hung: 'killed, as it did not end in time',
  signal: 'ended by a signal',
} as const;

export type Wrong = keyof typeof wrongs;

/** Notes what is wrong, of which update. */
export type Note = (wrong: Wrong, id?: string) => void;

/** The lines that a program prints, as they arrive. */
export class Claims {
  readonly all = new Map<string, Claim>();
  readonly #known: ReadonlySet<string>;
  readonly #note: Note;

  constructor(updates: readonly GivenUpdate[], note: Note) {
    this.#known = new Set(updates.map(({ id }) => id));
    this.#note = note;
  }

  read(line: string, arrived: number): void {
    if (line.trim() === '') return;
    const { id, outcome } = readReport(line);
    if (!this.#known.has(id) || this.all.has(id) || outcome === undefined) this.#note('unreadable', id);
    else this.all.set(id, { outcome, arrived });
  }
}

function readReport(line: string): { readonly id: string; readonly outcome: Claim['outcome'] | undefined } {
  try {
    const { id, ok, outcome } = Object(JSON.parse(line));
    if (/^(?:applied|rejected|not_sent|unknown)$/.test(outcome)) return { id, outcome };
    return { id, outcome: ok === true ? 'applied' : ok === false ? 'error' : undefined };
  } catch {
    return { id: '', outcome: undefined };
  }
}

/** What the service saw of a case. */
export interface Evidence {
  readonly updates: readonly GivenUpdate[];
  readonly claims: Claims;
  readonly journal: readonly JournalEntry[];
  readonly ledger: readonly LedgerEntry[];
  readonly judged: JudgeCase;
}

/** How many updates were settled, and how many were not although the response was definite. */
export interface Settled {
  readonly settled: number;
  readonly unsettled: number;
}

/** Compares what a program said of each update with what the service received and applied. */
export function compareClaims({ updates, claims, journal, ledger, judged }: Evidence, note: Note): Settled {
  const ofOrder = Map.groupBy(updates, ({ token }) => token);
  const requests = journal.map((entry, index) => {
    const body = readJson(entry.body);
    const update = ofOrder.get(entry.token ?? '')?.find((each) => isDeepStrictEqual(each.update, body));
    return { entry, index, id: update?.id };
  });
  const ofUpdate = Map.groupBy(requests, ({ id }) => id);
  const idOf = new Map(requests.map(({ entry, id }) => [entry.requestId, id]));
  const applied = Map.groupBy(ledger, ({ requestId }) => idOf.get(requestId));
  for (const { token } of applied.get(undefined) ?? []) note('altered', token);
  noteOvertaken(updates, ledger, idOf, note);
  // Orders with a request that shows no update.
  const cut = new Set(journal.filter(({ complete }) => !complete).map(({ token }) => token));

  let settled = 0;
  let unsettled = 0;
  for (const { id, token } of updates) {
    const times = applied.get(id)?.length ?? 0;
    if (times > 1) note('applied_twice', id);
    const claim = claims.all.get(id);
    if (claim === undefined) {
      note('no_report', id);
      continue;
    }
    const own = ofUpdate.get(id) ?? [];
    if (own.some(({ index }) => index >= claim.arrived)) note('late', id);
    const { outcome } = claim;
    if (outcome === 'error' && times > 0) note('error', id);
    else if (outcome === 'unknown' || outcome === 'error') {
      const meanings = own.map(({ entry }) => meaningOf(entry, judged.means));
      if (own.length === 0) meanings.push(cut.has(token) ? 'unknown' : 'not_sent');
      if (meanings.includes('applied') || !meanings.includes('unknown')) unsettled += 1;
    } else if ((outcome === 'applied') === times > 0) settled += 1;
    else note(times > 0 ? 'denied' : 'claimed', id);
  }
  return { settled, unsettled };
}

function noteOvertaken(
  updates: readonly GivenUpdate[],
  ledger: readonly LedgerEntry[],
  idOf: ReadonlyMap<string, string | undefined>,
  note: Note,
): void {
  const places = new Map(updates.map(({ id }, place) => [id, place]));
  const latest = new Map<string, number>();
  for (const { token, requestId } of ledger) {
    const id = idOf.get(requestId) ?? '';
    const place = places.get(id) ?? -1;
    const before = latest.get(token) ?? -1;
    if (place >= 0 && place < before) note('overtaken', id);
    latest.set(token, Math.max(place, before));
  }
}

/** What an honest client can know from a request; without a response, nothing. */
function meaningOf({ fault, status }: JournalEntry, means: Outcome): Outcome {
  if (status === undefined) return 'unknown';
  if (fault) return means;
  return status < 300 ? 'applied' : 'rejected';
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
