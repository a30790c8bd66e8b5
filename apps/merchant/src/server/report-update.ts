import type { OrdersClient } from '@orders/client';
import type { Explanation } from '@orders/schema';
import type { UpdateReport } from '../contract/update-report.ts';

/** What `safeUpdateOrder` settles with. */
export type UpdateResult = Awaited<ReturnType<OrdersClient['safeUpdateOrder']>>;

/** Tells a result of the client in the page's words; `at` is when it was known. */
export function reportUpdate(result: UpdateResult, at: Date): UpdateReport {
  if (result.ok) {
    const { data, status, outcome, attemptCount, receipt } = result;
    return {
      ok: true,
      outcome,
      attempts: attemptCount,
      at: at.toISOString(),
      status,
      ...(data === undefined ? {} : { data }),
      receipt: receipt.toJSON(),
    };
  }
  const { error } = result;
  return {
    ok: false,
    outcome: error.outcome,
    attempts: error.attemptCount,
    at: at.toISOString(),
    ...('status' in error ? { status: error.status } : {}),
    error: {
      code: error.code,
      message: error.message,
      ...(error.code === 'validation_error' ? { issues: [...error.issues] } : {}),
      ...(error.code === 'http_error' && error.body !== '' ? { answer: error.body } : {}),
    },
    receipt: error.receipt.toJSON(),
  };
}

/** Tells an update that the desk itself refused, so that nothing was sent. */
export function reportRefusal(issues: readonly Explanation[], at: Date): UpdateReport {
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`;
  return {
    ok: false,
    outcome: 'not_sent',
    attempts: 0,
    at: at.toISOString(),
    error: {
      code: 'validation_error',
      message: `This is not a valid order update: ${count}`,
      issues: [...issues],
    },
  };
}
