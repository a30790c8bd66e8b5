import { setTimeout as pause } from 'node:timers/promises';
import type { Outbox } from '@orders/outbox';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { OutboxMirror } from '../storage/desk-storage.ts';
import { keepTrying } from './keep-trying.ts';

/** Updates that are mirrored in one transaction. */
const maxBatch = 100;
/** How often the outbox is read, in milliseconds: it has no push, and a person watches. */
const pollMs = 100;

export interface FollowOutboxOptions {
  readonly outbox: Pick<Outbox, 'changes'>;
  readonly mirror: OutboxMirror;
  readonly signal: AbortSignal;
  /** Called with the desk's events that were stored. */
  readonly onStored: (events: readonly NumberedEvent[]) => void;
  /** Called with the first of several failures in a row; it is retried. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Mirrors what changes in the outbox in the desk's own tables, from the stored cursor on, until the signal fires. An update
 * that changes twice between two reads skips a step. Rejects when a database still fails once the signal has fired.
 */
export async function followOutbox(options: FollowOutboxOptions): Promise<void> {
  const { outbox, mirror, signal, onStored, onFailure } = options;
  const untilDone = { signal, onFailure, isFinal: () => false };
  let after = await keepTrying(() => mirror.readCursor(), untilDone);
  while (!signal.aborted) {
    const { events, cursor, isLast } = await keepTrying(async () => {
      const changes = await outbox.changes({ ...(after !== undefined && { after }), limit: maxBatch });
      const { length } = changes.updates;
      // Without a change there is nothing to store.
      const events = length === 0 ? [] : await mirror.take(changes);
      return { events, cursor: changes.cursor, isLast: length < maxBatch };
    }, untilDone);
    after = cursor;
    onStored(events);
    if (isLast) await pause(pollMs, undefined, { signal }).catch(() => {});
  }
}
