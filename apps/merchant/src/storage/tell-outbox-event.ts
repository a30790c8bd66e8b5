import type { OutboxEvent, UpdateStatus } from '@orders/outbox';
import * as z from 'zod/mini';
import type { StoredEvent } from '../contract/desk-event.ts';
import { Outcome, type UpdateReport } from '../contract/update-report.ts';

/** An event of the outbox, with how its update stood when it was read: that may be later than the event. */
export interface OutboxStep {
  readonly event: OutboxEvent;
  readonly status: UpdateStatus | undefined;
}

/** What the desk knows of the update when it takes the step. */
export interface KnownAttempts {
  /** Attempts that have begun. */
  readonly attempts: number;
  /** When the attempt that is under way began; undefined when none is. */
  readonly startedAt: Date | undefined;
  /** Whether an earlier attempt may have been applied. @default false */
  readonly isUnsure?: boolean;
}

type AttemptEnded = Extract<StoredEvent, { readonly kind: 'attempt_ended' }>;
type AttemptEnd = Pick<AttemptEnded, 'outcome' | 'durationMs' | 'status' | 'error' | 'isRetried'>;

/** As much of a client's receipt as is read here. */
const Receipt = z.object({
  attempts: z.array(z.object({ durationMs: z.number(), outcome: Outcome })),
});

/** Tells how the attempt that is under way ended, by an event that comes after one. */
export function tellEnd(step: OutboxStep, known: KnownAttempts & { readonly startedAt: Date }): AttemptEnd {
  const { event } = step;
  const status = statusThen(step, known);
  const last = Receipt.safeParse(status?.receipt).data?.attempts.at(-1);
  const { kind, detail } = event;
  const isRetried = kind === 'queued';
  const error = status ? status.code : detail;
  return {
    outcome: isRetried ? (last?.outcome ?? guessOutcome(error)) : outcomeOf(kind, error),
    durationMs: last?.durationMs ?? Math.max(0, event.at.getTime() - known.startedAt.getTime()),
    ...(status?.status === undefined ? {} : { status: status.status }),
    ...(error === undefined ? {} : { error }),
    ...(isRetried ? { isRetried } : {}),
  };
}

/** Tells what became of an update, by the event that ended it. */
export function tellReport(step: OutboxStep, known: KnownAttempts): UpdateReport {
  const { event } = step;
  const status = statusThen(step, known);
  const code = status ? status.code : event.detail;
  const isClean = event.kind === 'applied' && code === undefined;
  return {
    ok: isClean,
    outcome: known.isUnsure ? 'unknown' : outcomeOf(event.kind, code),
    attempts: known.attempts,
    at: event.at.toISOString(),
    ...(status?.status === undefined ? {} : { status: status.status }),
    ...(isClean
      ? {}
      : {
          error: {
            code: code ?? event.kind,
            message:
              status?.message ?? (known.isUnsure ? unsureMessage : messages[event.kind]) ?? laterMessage,
            ...(status?.issues ? { issues: [...status.issues] } : {}),
          },
        }),
    ...(status?.receipt === undefined ? {} : { receipt: status.receipt }),
  };
}

const messages: Readonly<Partial<Record<OutboxEvent['kind'], string>>> = {
  discarded: 'It was discarded before it was sent.',
};
const unsureMessage = 'An earlier attempt may have been applied; it was discarded before it was sent again.';
const laterMessage = 'More has happened to it since, and what was said of it then is not kept.';

/** The status where it is that of the event: nothing has happened to the update since. */
function statusThen({ event, status }: OutboxStep, { attempts }: KnownAttempts): UpdateStatus | undefined {
  const isThat = status?.state === event.kind && status.attempts === attempts;
  return isThat ? status : undefined;
}

function outcomeOf(kind: OutboxEvent['kind'], code: string | undefined): Outcome {
  switch (kind) {
    case 'applied':
      return 'applied';
    case 'rejected':
      // What the schema refuses in between is never sent.
      return code === 'validation_error' ? 'not_sent' : 'rejected';
    case 'parked':
      return 'unknown';
    default:
      return 'not_sent';
  }
}

/** What the client says with a status was answered; else nothing got as far as the order service. */
function guessOutcome(code: string | undefined): Outcome {
  return code === 'http_error' ? 'rejected' : 'not_sent';
}
