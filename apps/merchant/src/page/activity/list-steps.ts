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
      readonly waitMs: number;
      /** Whether the next attempt has begun, or will not come. */
      readonly isOver: boolean;
    }
  | { readonly kind: 'settled'; readonly state: UpdateState; readonly at: string };

/** The steps of an update so far, oldest first. */
export function listSteps({ update, attempts }: LiveUpdate): readonly Step[] {
  const { createdAt, state, report } = update;
  const steps: Step[] = [{ kind: 'queued', at: createdAt }];
  attempts.forEach(({ number, end }, index) => {
    steps.push({ kind: 'attempt', number, end });
    if (end?.retryInMs === undefined) return;
    const isOver = index < attempts.length - 1 || report !== null;
    steps.push({ kind: 'wait', number, from: end.at, waitMs: end.retryInMs, isOver });
  });
  if (report) steps.push({ kind: 'settled', state, at: report.at });
  return steps;
}
