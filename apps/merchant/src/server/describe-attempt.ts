import type { AfterAttemptEvent } from '@orders/client';
import type { StoredEvent } from '../contract/desk-event.ts';
import type { UpdateView } from '../contract/update-view.ts';

/** Tells the end of an attempt as an event of its update. */
export function describeAttempt(
  { id, token }: Pick<UpdateView, 'id' | 'token'>,
  { startedAfterMs: _, requestId: __, ...end }: AfterAttemptEvent,
): StoredEvent {
  return { kind: 'attempt_ended', token, updateId: id, ...end };
}
