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

/** What can be wrong: of what, and how a report puts it. */
export const wrongs = {
  applied_twice: ['update', 'applied more than once'],
  denied: ['update', 'reported as rejected or not_sent, but applied'],
  error: ['update', 'reported as an error without an outcome, but applied'],
  claimed: ['update', 'reported as applied, but not applied'],
  doubted: ['update', 'reported as unknown, although applied, and no fault was in the way'],
  not_applied: ['update', 'not applied, although no fault was in the way'],
  overtaken: ['update', 'applied after a later one of the same order'],
  late: ['request', 'that arrived after the report of the update'],
  altered: ['update', 'applied, but not as in the file'],
  no_report: ['update', 'without a report'],
  unreadable: ['line', 'not understood as a report'],
  key_elsewhere: ['request', 'with the key to another host'],
  hung: ['run', 'killed after --limit'],
  signal: ['run', 'ended by a signal'],
} as const;

export type Wrong = keyof typeof wrongs;

/** Notes what is wrong, of which update or how. */
export type Note = (wrong: Wrong, first?: string) => void;

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
    const json = readJson(line);
    const { id, ok, outcome: named } = Object(json);
    const byOk = ok === true ? 'applied' : ok === false ? 'error' : undefined;
    const outcome = named === undefined ? byOk : outcomes.find((each) => each === named);
    if (json === undefined) this.#note('unreadable', `not JSON: ${line}`);
    else if (!this.#known.has(id)) this.#note('unreadable', `no such id: ${line}`);
    else if (outcome === undefined) this.#note('unreadable', `unknown outcome: ${line}`);
    else if (this.all.has(id)) this.#note('unreadable', `a second report: ${line}`);
    else this.all.set(id, { outcome, arrived });
  }
}

const outcomes = ['applied', 'rejected', 'not_sent', 'unknown'] as const satisfies readonly Outcome[];

/** What the service saw of a case. */
export interface Evidence {
  readonly updates: readonly GivenUpdate[];
  readonly claims: Claims;
  readonly journal: readonly JournalEntry[];
  readonly ledger: readonly LedgerEntry[];
  readonly judged: JudgeCase;
}

/** How many updates each is true of. */
export interface Counts {
  readonly applied: number;
  /** Reported truly. */
  readonly settled: number;
  /** Not settled, although the response was definite. */
  readonly unsettled: number;
  /** Requests that are refused without any fault, by their status. */
  readonly invalid: Readonly<Record<string, number>>;
}

/** Compares what a program said of each update with what the service received and applied. */
export function compareClaims({ updates, claims, journal, ledger, judged }: Evidence, note: Note): Counts {
  const given = new Map(updates.map((update) => [update.id, update]));
  const requests = journal.map((entry, index) => {
    const body = readJson(entry.body);
    // Each update has its id in it, by which one that was changed is recognized.
    const update = given.get(Object(body).order_id);
    const isAsGiven = update?.token === entry.token && isDeepStrictEqual(update?.update, body);
    return { entry, index, id: update?.id, isAsGiven };
  });
  const ofUpdate = Map.groupBy(requests, ({ id }) => id);
  const byRequest = new Map(requests.map((request) => [request.entry.requestId, request]));
  const applied = Map.groupBy(ledger, ({ requestId }) => byRequest.get(requestId)?.id);
  for (const { token, requestId } of ledger) {
    const { id = token, isAsGiven } = byRequest.get(requestId) ?? {};
    if (!isAsGiven) note('altered', id);
  }
  noteOvertaken(updates, ledger, byRequest, note);
  // Orders with a request that a fault cut off, which shows no update; the program may cut off its own.
  const cut = new Set(journal.filter(({ complete, fault }) => !complete && fault).map(({ token }) => token));
  // Orders of which a client may send no more; a 429 is about the key, so it may hold all of them back.
  const doubtful = new Set<string>();
  const isLimited = journal.some(({ fault, status }) => fault && status === 429);

  let settled = 0;
  let unsettled = 0;
  for (const { id, token } of updates) {
    const times = applied.get(id)?.length ?? 0;
    if (times > 1) note('applied_twice', id);
    const own = ofUpdate.get(id) ?? [];
    const claim = claims.all.get(id);
    const isHeldBack = own.length === 0 && (isLimited || doubtful.has(token));
    const metFault = own.some(({ entry }) => entry.fault && !refusalOf(entry));
    const isHindered = metFault || cut.has(token) || judged.means === 'not_sent';
    if (isHindered && claim?.outcome !== 'applied') doubtful.add(token);
    if (claim === undefined) {
      note('no_report', id);
      continue;
    }
    for (const { index } of own) if (index >= claim.arrived) note('late', id);
    const { outcome } = claim;
    // A fault took the place of a refusal, so the request is to blame, not what was made of the response.
    const isMisled = own.some(({ entry }) => entry.fault) && !isHindered;
    if (times === 0 && !isHindered && !isHeldBack && (outcome !== 'applied' || isMisled))
      note('not_applied', id);
    else if (outcome === 'error' && times > 0) note('error', id);
    else if (outcome === 'unknown' && times > 0 && own.every(({ entry }) => wasConfirmed(entry)))
      note('doubted', id);
    else if (outcome === 'unknown' || outcome === 'error') {
      const meanings = own.map(({ entry }) => meaningOf(entry, judged.means));
      if (own.length === 0) meanings.push(cut.has(token) ? 'unknown' : 'not_sent');
      if (meanings.includes('applied') || !meanings.includes('unknown')) unsettled += 1;
    } else if ((outcome === 'applied') === times > 0) settled += 1;
    else note(times > 0 ? 'denied' : 'claimed', id);
  }
  const invalid: Record<string, number> = {};
  for (const status of journal.map(refusalOf))
    if (status !== undefined) invalid[status] = (invalid[status] ?? 0) + 1;
  return { applied: updates.filter(({ id }) => applied.has(id)).length, settled, unsettled, invalid };
}

/** The status with which the service refuses a request, whatever fault it meets. */
function refusalOf({ fault, status = 0, authorization, headers }: JournalEntry): number | undefined {
  if (!fault) return status >= 400 ? status : undefined;
  if (!authorization.keyType) return 401;
  return /^application\/json\b/i.test(headers['content-type'] ?? '') ? undefined : 415;
}

function noteOvertaken(
  updates: readonly GivenUpdate[],
  ledger: readonly LedgerEntry[],
  byRequest: ReadonlyMap<string, { readonly id: string | undefined }>,
  note: Note,
): void {
  const places = new Map(updates.map(({ id }, place) => [id, place]));
  const latest = new Map<string, number>();
  for (const { token, requestId } of ledger) {
    const { id = '' } = byRequest.get(requestId) ?? {};
    const place = places.get(id) ?? -1;
    const before = latest.get(token) ?? -1;
    if (place >= 0 && place < before) note('overtaken', id);
    latest.set(token, Math.max(place, before));
  }
}

/** Whether the service applied an update and said so, with nothing in between. */
function wasConfirmed({ fault, status = 0 }: JournalEntry): boolean {
  return !fault && status >= 200 && status < 300;
}

/** What an honest client can know from a request; without a response, nothing. */
function meaningOf({ fault, status }: JournalEntry, means: Outcome): Outcome {
  if (status === undefined) return 'unknown';
  if (fault) return means;
  return status < 300 ? 'applied' : 'rejected';
}

function readJson(text: Buffer | string): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
