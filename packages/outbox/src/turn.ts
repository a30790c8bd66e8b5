import { type Assignment, assign, type ClaimedRow, type Claimer } from './claim.ts';
import type { Place } from './lane-queue.ts';
import type { Settlement } from './settlement.ts';
import type { OutboxStore } from './store/outbox-store.ts';

/** A lane that was worked on, and what comes of it. */
export interface TurnEntry {
  readonly place: Place;
  readonly token: string;
  /** How many updates of the lane the place has worked on in a row. */
  readonly inARow: number;
  /** How long the lane waits where nothing was settled, in milliseconds. */
  readonly delayMs: number;
  /** When that was known, by the clock of `performance.now()`: storing it may take several tries. */
  readonly knownAt: number;
  readonly settlement?: Settlement;
}

/** What a turn stored and gave. */
export interface Turn {
  /** Tokens whose entries were stored; the lanes of the others are locked by somebody else. */
  readonly stored: ReadonlySet<string>;
  /** Updates that were settled, by id, and how long ago each was accepted, in milliseconds. */
  readonly settled: ReadonlyMap<string, number>;
  /** What the places that came free are to do next. */
  readonly work: readonly Assignment[];
  /** Places that came free and ended. */
  readonly ended: number;
  /** Where places ended: milliseconds until a lane is ready, from 0 down when one is; undefined when none waits. */
  readonly nextMs: number | undefined;
}

/** A job is given up after this time, in milliseconds: pg-boss ends those that take longer than a day. */
const mostAgeMs = 3_600_000;
/** Updates of one lane that a job works on in a row: more would keep other lanes waiting. */
const mostInARow = 4;

/** Stores what became of updates, and gives the places that come free to lanes that wait, no more than `most` of them. */
export async function takeTurn(
  store: OutboxStore,
  schema: string,
  turn: Claimer & { readonly entries: readonly TurnEntry[]; readonly most: number; readonly now: number },
): Promise<Turn> {
  const { entries, most, now, presence, shouldMark } = turn;
  const places = entries.map(({ place }) => place);
  const verdicts = entries.map(({ settlement }) => settlement?.verdict);
  const pauses = entries.map(({ settlement, knownAt }) =>
    Math.max(0, (settlement?.verdict.pauseAllMs ?? 0) - (now - knownAt)),
  );
  const mayKeep = places.map(({ since }) => now - since < mostAgeMs);
  const { rows } = await store.run(statement(schema), [
    places.map(({ job }) => job),
    places.map(({ attempt }) => attempt),
    entries.map(({ token }) => token),
    mayKeep,
    entries.map(({ inARow }, index) => index < most && inARow < mostInARow && mayKeep[index]),
    entries.map(({ settlement }) => settlement?.id ?? null),
    verdicts.map((verdict) => verdict?.hold ?? false),
    entries.map(({ delayMs, settlement }) => settlement?.verdict.delayMs ?? delayMs),
    verdicts.map((verdict) => verdict?.failures ?? 0),
    pauses.some((ms) => ms > 0) ? pauses : null,
    JSON.stringify(
      entries.flatMap(({ place, settlement }) => (settlement ? toRecord(place, settlement) : [])),
    ),
    most,
    presence,
    shouldMark,
  ]);
  const [row] = rows as { told: Told }[];
  if (!row) throw new Error('The turn told nothing.');
  const { stored, settled, work, ended, nextMs } = row.told;
  return {
    stored: new Set(stored),
    settled: new Map(settled.map(({ id, ageMs }) => [id, ageMs])),
    work: assign(work, entries),
    ended,
    nextMs: nextMs ?? undefined,
  };
}

interface Told {
  readonly stored: readonly string[];
  readonly settled: readonly { readonly id: string; readonly ageMs: number }[];
  readonly work: readonly ClaimedRow[];
  readonly ended: number;
  readonly nextMs: number | null;
}

const statement = (schema: string): string =>
  `select ${schema}.turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as told`;

function toRecord({ job }: Place, { id, token, claim, verdict }: Settlement): object {
  const { state, code, message, status, issues, receipt } = verdict;
  return {
    job,
    token,
    id,
    claim,
    state,
    status,
    code: code && storable(code),
    message: message && storable(message),
    issues: issues === undefined ? undefined : JSON.stringify(issues),
    receipt: receipt === undefined ? undefined : JSON.stringify(receipt),
  };
}

/** PostgreSQL takes neither a NUL nor half of a surrogate pair in a text, and would refuse the whole batch. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
