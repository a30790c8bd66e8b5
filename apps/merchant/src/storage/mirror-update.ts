import type { UpdateStatus } from '@orders/outbox';
import type { Selectable, Transaction, Updateable } from 'kysely';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import { addEvent } from './event-store.ts';
import { buildReport, describeEnd, outcomeOf } from './outbox-report.ts';
import { followApplied } from './settle-update.ts';
import type { Tables, UpdatesTable } from './tables.ts';
import { readView, viewColumns } from './update-view.ts';
import { writeReport } from './write-report.ts';

const columns = [...viewColumns, 'position'] as const;
type Row = Pick<Selectable<UpdatesTable>, (typeof columns)[number]>;

/**
 * Brings an update of the desk to its latest state in the outbox, as a step of a change. Resolves with the events of the
 * steps in between; none where it is in that state already, or not the desk's.
 */
export async function mirrorUpdate(
  transaction: Transaction<Tables>,
  status: UpdateStatus,
  now: Date,
): Promise<readonly NumberedEvent[]> {
  const row = await transaction
    .selectFrom('updates')
    .select(columns)
    .where('id', '=', status.id)
    .where('in_outbox', '=', true)
    .executeTakeFirst();
  return row ? new Mirrored({ transaction, status, row, now }).run() : [];
}

/** What the desk knows of the attempts of an update. */
interface KnownAttempts {
  /** Number of the last one. */
  readonly attempts: number;
  /** When the attempt that is under way began; undefined when none is. */
  readonly startedAt: Date | undefined;
}

interface MirrorParts {
  readonly transaction: Transaction<Tables>;
  readonly status: UpdateStatus;
  readonly row: Row;
  readonly now: Date;
}

class Mirrored {
  readonly #transaction: Transaction<Tables>;
  readonly #status: UpdateStatus;
  readonly #now: Date;
  readonly #events: NumberedEvent[] = [];
  #row: Row;

  constructor({ transaction, status, row, now }: MirrorParts) {
    this.#transaction = transaction;
    this.#status = status;
    this.#now = now;
    this.#row = row;
  }

  async run(): Promise<readonly NumberedEvent[]> {
    const { state, attempts } = this.#status;
    const known = await this.#readAttempts();
    const isOpen = state === 'queued' || state === 'sending';
    // A late response may reopen an update as well: it shows that it was not applied, so it is sent again.
    if (this.#isSettled() && (isOpen || attempts > known.attempts)) await this.#reopen(known);
    await this.#followAttempts(known);
    if (state === 'discarded') await this.#discard(known);
    else if (!isOpen && this.#row.state !== outcomeOf(this.#status)) await this.#settle();
    return this.#events;
  }

  #isSettled(): boolean {
    return this.#row.state !== 'queued' && this.#row.state !== 'sending';
  }

  async #readAttempts(): Promise<KnownAttempts> {
    const last = await this.#transaction
      .selectFrom('events')
      .select(['at', 'event'])
      .where('update_id', '=', this.#row.id)
      .where('kind', 'in', ['attempt_started', 'attempt_ended'])
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!(last && 'attempt' in last.event)) return { attempts: 0, startedAt: undefined };
    const { attempt, kind } = last.event;
    return { attempts: attempt, startedAt: kind === 'attempt_started' ? last.at : undefined };
  }

  /** Adds the attempts that were made since, as far as the status describes them. */
  async #followAttempts(known: KnownAttempts): Promise<void> {
    const { state, attempts, sendingAt = this.#now } = this.#status;
    // While one is under way, the status still describes the one before.
    const described = state === 'sending' ? attempts - 1 : attempts;
    if (known.startedAt && known.attempts === described) await this.#endAttempt(described, known.startedAt);
    if (attempts <= known.attempts) return;
    await this.#startAttempt(attempts, sendingAt);
    if (described === attempts) await this.#endAttempt(attempts, sendingAt);
  }

  async #startAttempt(attempt: number, at: Date): Promise<void> {
    await this.#set({ state: 'sending' });
    await this.#transaction
      .updateTable('updates')
      .set({ sending_at: at })
      .where('id', '=', this.#row.id)
      .where('sending_at', 'is', null)
      .execute();
    await this.#add({ kind: 'attempt_started', ...this.#ofRound(), attempt }, at);
  }

  async #endAttempt(attempt: number, startedAt: Date): Promise<void> {
    const end = describeEnd(this.#status, startedAt);
    const at = new Date(startedAt.getTime() + end.durationMs);
    await this.#add({ kind: 'attempt_ended', ...this.#ofRound(), attempt, ...end }, at);
  }

  async #settle(mayBeApplied = false): Promise<void> {
    const report = buildReport(this.#status, { now: this.#now, mayBeApplied });
    const at = this.#settledAt();
    await this.#set({ state: report.outcome, report: writeReport(report), settled_at: at });
    const { id, token, position } = this.#row;
    // The outbox sends the updates of an order one by one, so this one is the last that was applied.
    if (report.outcome === 'applied') {
      await followApplied(this.#transaction, { id, token, position, isLast: true });
    }
    await this.#add({ kind: 'update_settled', ...this.#of(), update: readView(this.#row) }, at);
  }

  async #discard({ attempts }: KnownAttempts): Promise<void> {
    if (this.#row.decision) return;
    // Attempts that were not seen may have been applied, since a person may have sent it again in between.
    const isUnseen = this.#status.attempts > attempts + 1;
    if (!this.#isSettled()) await this.#settle(isUnseen || (await this.#wasUnknown()));
    await this.#set({ decision: 'discarded' });
    const update = readView(this.#row);
    const event = { kind: 'update_decided', ...this.#of(), decision: 'discarded', update } as const;
    await this.#add(event, this.#settledAt());
  }

  async #wasUnknown(): Promise<boolean> {
    const ends = await this.#transaction
      .selectFrom('events')
      .select('event')
      .where('update_id', '=', this.#row.id)
      .where('kind', '=', 'attempt_ended')
      .execute();
    return ends.some(({ event }) => event.kind === 'attempt_ended' && event.outcome === 'unknown');
  }

  async #reopen({ attempts }: KnownAttempts): Promise<void> {
    const round = this.#row.round + 1;
    await this.#set({ state: 'queued', report: null, settled_at: null, decision: null, round });
    const event = { kind: 'update_reopened', ...this.#of(), after: attempts } as const;
    await this.#add({ ...event, update: readView(this.#row) }, this.#status.decision?.at ?? this.#now);
  }

  #settledAt(): Date {
    return this.#status.settledAt ?? this.#now;
  }

  async #set(change: Updateable<UpdatesTable>): Promise<void> {
    this.#row = await this.#transaction
      .updateTable('updates')
      .set(change)
      .where('id', '=', this.#row.id)
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  async #add(event: StoredEvent, at: Date): Promise<void> {
    this.#events.push(await addEvent(this.#transaction, event, at));
  }

  #of(): { readonly token: string; readonly updateId: string } {
    return { token: this.#row.token, updateId: this.#row.id };
  }

  #ofRound(): { readonly token: string; readonly updateId: string; readonly round?: number } {
    const { round } = this.#row;
    return { ...this.#of(), ...(round === 0 ? {} : { round }) };
  }
}
