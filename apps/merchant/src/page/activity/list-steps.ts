import type { UpdateState } from '../../contract/update-view.ts';
import type { AttemptEnd, LiveUpdate } from '../live/fold-update.ts';

/** One step of an update as it is drawn. */
export type Step =
  | { readonly kind: 'queued'; readonly at: string }
  | { readonly kind: 'attempt'; readonly number: number; readonly end: AttemptEnd | undefined }
  | {
      readonly kind: 'wait';
      readonly number: number;
      readonly from: string;
      /** Undefined while nobody knows here how long. */
      readonly waitMs: number | undefined;
      /** Whether the next attempt has begun, or will not come. */
      readonly isOver: boolean;
    }
  | { readonly kind: 'reopened'; readonly number: number; readonly at: string }
  | { readonly kind: 'settled'; readonly state: UpdateState; readonly at: string };

/** The steps of an update so far, oldest first. */
export function listSteps({ update, attempts, reopenings }: LiveUpdate): readonly Step[] {
  const { createdAt, state, report } = update;
  const steps: Step[] = [{ kind: 'queued', at: createdAt }];
  const reopen = (made: number) => {
    for (const { round, at, after } of reopenings)
      if (after === made) steps.push({ kind: 'reopened', number: round, at });
  };
  reopen(0);
  attempts.forEach(({ number, end }, index) => {
    steps.push({ kind: 'attempt', number, end });
    if (end?.isRetried || end?.retryDelayMs !== undefined) {
      const next = attempts[index + 1];
      const isOver = next !== undefined || report !== null;
      const waitMs = end.retryDelayMs ?? (next?.startedAt && Date.parse(next.startedAt) - Date.parse(end.at));
      steps.push({ kind: 'wait', number, from: end.at, waitMs: waitMs || undefined, isOver });
    }
    reopen(number);
  });
  if (report) steps.push({ kind: 'settled', state, at: report.at });
  return steps;
}
