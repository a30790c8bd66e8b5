import type { UpdateOrdersItemResult } from '@orders/client';
import type { SettledRow, WaitingRow } from '../storage/bulk-records.ts';

/** As much of the order service's own words as a person reads in a table. */
const maxAnswerLength = 300;

/** Tells a result of the client as it is stored. A row whose call was ended before anything left waits again. */
export function settleRow(result: UpdateOrdersItemResult<Pick<WaitingRow, 'row'>>): SettledRow {
  const { row } = result.item;
  if (result.ok) {
    return { row, state: 'applied', attempts: result.attemptCount, status: result.status, issues: [] };
  }
  const { error } = result;
  if (error.code === 'aborted' && error.outcome === 'not_sent') return { row, state: 'waiting', issues: [] };
  const answer = error.code === 'http_error' ? error.body.slice(0, maxAnswerLength).trim() : '';
  return {
    row,
    state: error.outcome,
    attempts: error.attemptCount,
    ...('status' in error ? { status: error.status } : {}),
    issues:
      error.code === 'validation_error'
        ? [...error.issues]
        : [
            {
              path: '',
              code: error.code,
              message: answer === '' ? error.message : `${error.message} Its answer: ${answer}`,
            },
          ],
  };
}

/** Whether a result tells that the order service could not be reached. */
export function isAway(result: UpdateOrdersItemResult<unknown>): boolean {
  if (result.ok || result.error.outcome !== 'not_sent') return false;
  const { error } = result;
  return error.code === 'connection_error' || (error.code === 'timeout' && error.phase !== 'queue');
}
