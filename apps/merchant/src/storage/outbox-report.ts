import type { UpdateStatus } from '@orders/outbox';
import * as z from 'zod/mini';
import type { StoredEvent } from '../contract/desk-event.ts';
import { Outcome, type UpdateReport } from '../contract/update-report.ts';

type AttemptEnded = Extract<StoredEvent, { readonly kind: 'attempt_ended' }>;
type AttemptEnd = Pick<AttemptEnded, 'outcome' | 'durationMs' | 'status' | 'error' | 'isRetried'>;

/** As much of a client's receipt as is read here. */
const Receipt = z.object({
  attempts: z.array(z.object({ durationMs: z.number(), outcome: Outcome })),
});

/** Describes how the last attempt that ended did; `code`, `status` and `receipt` of an update are about that one. */
export function describeEnd(update: UpdateStatus, startedAt: Date): AttemptEnd {
  const { state, code, status, settledAt } = update;
  const last = Receipt.safeParse(update.receipt).data?.attempts.at(-1);
  const isRetried = state === 'queued' || state === 'sending';
  // A decision has replaced the code of the attempt.
  const error = state === 'discarded' ? undefined : code;
  return {
    outcome: last?.outcome ?? guessOutcome(update),
    durationMs: last?.durationMs ?? Math.max(0, (settledAt ?? startedAt).getTime() - startedAt.getTime()),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(isRetried && { isRetried }),
  };
}

/** Where there is no receipt, since the worker ended or the receipt was too long to keep. */
function guessOutcome({ state, code, status }: UpdateStatus): Outcome {
  if (state === 'applied' || state === 'rejected') return code === 'validation_error' ? 'not_sent' : state;
  if (status === 429) return 'rejected';
  return code === 'connection_error' ? 'not_sent' : 'unknown';
}

/** Builds the report of an update that is settled. An update that was discarded may have been applied before. */
export function buildReport(
  update: UpdateStatus,
  { now, mayBeApplied = false }: { readonly now: Date; readonly mayBeApplied?: boolean },
): UpdateReport {
  const { state, attempts, code, message, status, issues, receipt, settledAt, sendingAt, decision } = update;
  const isDiscarded = state === 'discarded';
  // What a person resolved keeps the code of its last attempt.
  const isResolved = state === 'applied' && decision !== undefined && !(sendingAt && sendingAt > decision.at);
  const ok = state === 'applied' && (code === undefined || isResolved);
  return {
    ok,
    outcome: isDiscarded ? (mayBeApplied ? 'unknown' : 'not_sent') : outcomeOf(update),
    attempts,
    at: (settledAt ?? now).toISOString(),
    ...(status !== undefined && { status }),
    ...(!ok && {
      error: {
        code: code ?? state,
        message: isDiscarded ? discardedMessage(mayBeApplied) : (message ?? 'No reason was stored.'),
        ...(issues && { issues: [...issues] }),
      },
    }),
    ...(receipt !== undefined && { receipt }),
  };
}

/** The outcome that a state stands for, once the update is settled. */
export function outcomeOf({ state, code }: Pick<UpdateStatus, 'state' | 'code'>): Outcome {
  if (state === 'applied') return 'applied';
  // The schema rejected it after it was accepted, so it was never sent.
  if (state === 'rejected') return code === 'validation_error' ? 'not_sent' : 'rejected';
  return state === 'needs_review' ? 'unknown' : 'not_sent';
}

function discardedMessage(mayBeApplied: boolean): string {
  return mayBeApplied
    ? 'An earlier attempt may have been applied; it was discarded before it was sent again.'
    : 'It was discarded before it was sent.';
}
