import type { Transaction } from 'kysely';
import type { UpdateReport } from '../contract/update-report.ts';
import type { UpdateChange } from './desk-storage.ts';
import { settleUpdate } from './settle-update.ts';
import type { Tables } from './tables.ts';

/** Settles, as a step of a change, what the last process left open and no outbox sends, in the order of acceptance. */
export async function recoverUpdates(
  transaction: Transaction<Tables>,
  at: Date,
): Promise<readonly UpdateChange[]> {
  const open = await transaction
    .selectFrom('updates')
    .where('state', 'in', ['queued', 'sending'])
    .where('in_outbox', '=', false)
    .select(({ selectFrom, fn }) => [
      'id',
      'state',
      selectFrom('events')
        .whereRef('events.update_id', '=', 'updates.id')
        .where('events.kind', '=', 'attempt_started')
        .select(fn.countAll<number>().as('count'))
        .as('attempts'),
    ])
    .orderBy('position')
    .execute();

  const changes: UpdateChange[] = [];
  for (const { id, state, attempts } of open) {
    const report = state === 'sending' ? reportCutOff(attempts ?? 0, at) : reportNeverLeft(at);
    const change = await settleUpdate(transaction, { id, report }, at);
    if (change) changes.push(change);
  }
  return changes;
}

function reportCutOff(attempts: number, at: Date): UpdateReport {
  const message = 'The desk ended while this update was on its way: it may have been applied, or not.';
  return {
    ok: false,
    outcome: 'unknown',
    attempts,
    at: at.toISOString(),
    error: { code: 'desk_ended', message },
  };
}

function reportNeverLeft(at: Date): UpdateReport {
  const message = 'The desk ended before this update left it.';
  return {
    ok: false,
    outcome: 'not_sent',
    attempts: 0,
    at: at.toISOString(),
    error: { code: 'desk_ended', message },
  };
}
