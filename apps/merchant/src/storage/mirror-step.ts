import type { Selectable, Transaction, Updateable } from 'kysely';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import type { UpdateReport } from '../contract/update-report.ts';
import { addEvent } from './event-store.ts';
import { followApplied } from './settle-update.ts';
import type { Tables, UpdatesTable } from './tables.ts';
import { type KnownAttempts, type OutboxStep, tellEnd, tellReport } from './tell-outbox-event.ts';
import { readView, viewColumns } from './update-view.ts';
import { writeReport } from './write-report.ts';

const columns = [...viewColumns, 'position'] as const;
type Row = Pick<Selectable<UpdatesTable>, (typeof columns)[number]>;

/** Tells one event of the outbox, as a step of a change; gives the events that this made, none for what is not the desk's. */
export async function mirrorStep(
  transaction: Transaction<Tables>,
  step: OutboxStep,
): Promise<readonly NumberedEvent[]> {
  const row = await transaction
    .selectFrom('updates')
    .select(columns)
    .where('id', '=', step.event.updateId)
    .where('in_outbox', '=', true)
    .executeTakeFirst();
  return row ? new Mirrored(transaction, step, row).tell() : [];
}

/** One update of the desk, while an event of the outbox is told of it. */
class Mirrored {
  readonly #transaction: Transaction<Tables>;
  readonly #step: OutboxStep;
  readonly #events: NumberedEvent[] = [];
  #row: Row;

  constructor(transaction: Transaction<Tables>, step: OutboxStep, row: Row) {
    this.#transaction = transaction;
    this.#step = step;
    this.#row = row;
  }

  async tell(): Promise<readonly NumberedEvent[]> {
    const known = await this.#readAttempts();
    switch (this.#step.event.kind) {
      case 'queued':
      case 'retried':
        // An answer that comes late may say that a parked update was not taken: it is sent again then.
        if (this.#isSettled()) await this.#reopen(known);
        else await this.#endAttempt(known);
        break;
      case 'sending':
        await this.#startAttempt(known);
        break;
      case 'discarded':
        if (!this.#isSettled()) await this.#settle({ ...known, isUnsure: await this.#wasUnknown() });
        await this.#discard();
        break;
      default:
        await this.#endAttempt(known);
        await this.#settle(known);
    }
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

  /** Whether an attempt may have been applied, so that nobody can say that nothing was sent. */
  async #wasUnknown(): Promise<boolean> {
    const ends = await this.#transaction
      .selectFrom('events')
      .select('event')
      .where('update_id', '=', this.#row.id)
      .where('kind', '=', 'attempt_ended')
      .execute();
    return ends.some(({ event }) => event.kind === 'attempt_ended' && event.outcome === 'unknown');
  }

  async #startAttempt({ attempts }: KnownAttempts): Promise<void> {
    const { at } = this.#step.event;
    await this.#set({ state: 'sending' });
    await this.#transaction
      .updateTable('updates')
      .set({ sending_at: at })
      .where('id', '=', this.#row.id)
      .where('sending_at', 'is', null)
      .execute();
    await this.#add({ kind: 'attempt_started', ...this.#ofRound(), attempt: attempts + 1 });
  }

  async #endAttempt({ attempts, startedAt }: KnownAttempts): Promise<void> {
    if (!startedAt) return;
    const end = tellEnd(this.#step, { attempts, startedAt });
    await this.#add({ kind: 'attempt_ended', ...this.#ofRound(), attempt: attempts, ...end });
  }

  async #settle(known: KnownAttempts): Promise<void> {
    const report: UpdateReport = tellReport(this.#step, known);
    await this.#set({
      state: report.outcome,
      report: writeReport(report),
      settled_at: this.#step.event.at,
    });
    const { id, token, position } = this.#row;
    // The outbox sends the updates of an order one by one, so this one is the last that was applied.
    if (report.outcome === 'applied') {
      await followApplied(this.#transaction, { id, token, position, isLast: true });
    }
    await this.#add({ kind: 'update_settled', ...this.#of(), update: readView(this.#row) });
  }

  async #discard(): Promise<void> {
    await this.#set({ decision: 'discarded' });
    const update = readView(this.#row);
    await this.#add({ kind: 'update_decided', ...this.#of(), decision: 'discarded', update });
  }

  async #reopen({ attempts }: KnownAttempts): Promise<void> {
    const round = this.#row.round + 1;
    await this.#set({ state: 'queued', report: null, settled_at: null, decision: null, round });
    await this.#add({
      kind: 'update_reopened',
      ...this.#of(),
      after: attempts,
      update: readView(this.#row),
    });
  }

  async #set(change: Updateable<UpdatesTable>): Promise<void> {
    this.#row = await this.#transaction
      .updateTable('updates')
      .set(change)
      .where('id', '=', this.#row.id)
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  async #add(event: StoredEvent): Promise<void> {
    this.#events.push(await addEvent(this.#transaction, event, this.#step.event.at));
  }

  #of(): { readonly token: string; readonly updateId: string } {
    return { token: this.#row.token, updateId: this.#row.id };
  }

  #ofRound(): { readonly token: string; readonly updateId: string; readonly round?: number } {
    const { round } = this.#row;
    return { ...this.#of(), ...(round === 0 ? {} : { round }) };
  }
}
