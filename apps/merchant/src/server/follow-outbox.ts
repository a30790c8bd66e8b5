import type { Outbox, OutboxEvent } from '@orders/outbox';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { OutboxMirror } from '../storage/desk-storage.ts';
import type { OutboxStep } from '../storage/tell-outbox-event.ts';
import { inBatches } from './in-batches.ts';
import { keepTrying } from './keep-trying.ts';

/** Events that are told in one transaction. */
const maxBatch = 100;

export interface FollowOutboxOptions {
  readonly outbox: Pick<Outbox, 'events' | 'status'>;
  readonly mirror: OutboxMirror;
  readonly signal: AbortSignal;
  /** Told the desk's events that were stored. */
  readonly onStored: (events: readonly NumberedEvent[]) => void;
  /** Told of the first failure of several alone; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Tells what happens in the outbox in the desk's own tables, from where it was told last, until the signal fires. It
 * rejects when the desk's storage does not take it even then.
 */
export async function followOutbox(options: FollowOutboxOptions): Promise<void> {
  const { outbox, mirror, signal, onStored, onFailure } = options;
  const untilStored = { signal, onFailure, isFinal: () => false };
  const after = await keepTrying(() => mirror.lastSeq(), untilStored);
  for await (const events of inBatches(outbox.events({ after, signal }), maxBatch)) {
    if (signal.aborted) return;
    onStored(await keepTrying(async () => mirror.take(await readSteps(events)), untilStored));
  }

  /** Reads before the change, which on one connection would wait for its own end. */
  async function readSteps(events: readonly OutboxEvent[]): Promise<readonly OutboxStep[]> {
    const statuses = new Map(
      await Promise.all(
        [...new Set(events.filter(saysMore).map(({ updateId }) => updateId))].map(
          async (id) => [id, await outbox.status(id)] as const,
        ),
      ),
    );
    return events.map((event) => ({ event, status: statuses.get(event.updateId) }));
  }
}

/** Whether the status of the update has more to say than the event. */
function saysMore({ kind }: OutboxEvent): boolean {
  return kind !== 'sending' && kind !== 'retried';
}
