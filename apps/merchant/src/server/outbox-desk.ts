import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fromKysely, type Outbox, OutboxError } from '@orders/outbox';
import type { NumberedEvent, StoredEvent } from '../contract/desk-event.ts';
import { awaitsDecision, type Decision, type UpdateView } from '../contract/update-view.ts';
import type { AcceptedUpdate, DeskStorage, HandOver } from '../storage/desk-storage.ts';
import { UpdateConflict } from '../storage/update-conflict.ts';
import type { EventHub } from './event-hub.ts';
import { followOutbox } from './follow-outbox.ts';
import { nameError } from './name-error.ts';
import { takeBackForgotten } from './take-back-forgotten.ts';
import { takeTurns } from './take-turns.ts';
import type { SettledUpdate, UpdateDesk } from './update-desk.ts';

export interface OutboxDeskOptions {
  readonly storage: Pick<DeskStorage, 'updates' | 'mirror'>;
  readonly hub: EventHub;
  /** It is closed with the desk. */
  readonly outbox: Pick<Outbox, 'enqueue' | 'changes' | 'get' | 'retry' | 'discard' | 'start' | 'close'>;
  /** Told in one line, without any body, when something could not be stored. @default nobody is told */
  readonly warn?: (line: string) => void;
}

/** How long updates in flight may take to end when the desk closes, in milliseconds; then they need review. */
const graceMs = 1_000;
/** How long a response waits until the mirror shows the decision, in milliseconds. */
const patienceMs = 5_000;

/**
 * Makes a desk that hands each update to the outbox in the transaction that accepts it, and mirrors its state from there.
 * It begins to send at once, with what an earlier process left.
 */
export async function createOutboxDesk(options: OutboxDeskOptions): Promise<UpdateDesk> {
  const { storage, hub, outbox, warn = () => {} } = options;
  const { updates, mirror } = storage;
  const ending = new AbortController();
  // Updates are queued in the order in which they were submitted.
  const inTurn = takeTurns();
  // Whoever decides second finds what the first decided.
  const decideInTurn = takeTurns();

  const publish = (event: NumberedEvent) => hub.publish({ type: 'stored', ...event });
  const tellLost = (error: unknown) =>
    warn(`The state of updates in the outbox could not be read or stored yet (${nameError(error)}).`);

  for (const event of await takeBackForgotten({ outbox, mirror })) publish(event);
  const following = followOutbox({
    outbox,
    mirror,
    signal: ending.signal,
    onStored: (events) => events.forEach(publish),
    onFailure: tellLost,
  });
  // What is not mirrored now is mirrored when the desk starts again.
  following.catch(tellLost);
  await outbox.start();

  const handOver: HandOver = async (transaction, { id, token, body }) => {
    try {
      await outbox.enqueue(token, body, { id, tx: fromKysely(transaction) });
    } catch (error) {
      if (error instanceof OutboxError && error.code === 'duplicate_id') throw new UpdateConflict('id_taken');
      throw error;
    }
  };

  /** Resolves with an update once it is told of it as it is asked for. Rejects when the desk ends. */
  function hear<T extends UpdateView>(id: string, fits: (update: UpdateView) => update is T): Heard<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = hub.subscribe((message) => {
      const update = message.type === 'stored' ? readUpdate(message.event, id) : undefined;
      if (update && fits(update)) resolve(update);
    });
    const onEnd = () => reject(new Error('The desk ended before it knew.'));
    ending.signal.addEventListener('abort', onEnd);
    promise.catch(() => {});
    return {
      promise,
      stop() {
        leave();
        ending.signal.removeEventListener('abort', onEnd);
      },
    };
  }

  async function accept(update: AcceptedUpdate): Promise<UpdateView> {
    ending.signal.throwIfAborted();
    const accepted = await updates.accept(update, handOver);
    if (accepted.event) publish(accepted.event);
    return accepted.update;
  }

  async function decideInOutbox(found: UpdateView, decision: Decision): Promise<UpdateView | undefined> {
    const { id, round } = found;
    const heard = hear(
      id,
      (update): update is UpdateView => update.decision !== null || update.round > round,
    );
    try {
      await (decision === 'sent_again' ? outbox.retry(id) : outbox.discard(id));
      return await Promise.race([heard.promise, delay(patienceMs, found, { ref: false })]);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    } finally {
      heard.stop();
    }
  }

  /** Decides about an update that the desk's own client sent, in a run without an outbox. */
  async function decideOwn(id: string, decision: Decision): Promise<UpdateView | undefined> {
    if (decision === 'discarded') {
      const change = await updates.decide(id, decision);
      if (change) publish(change.event);
      return change?.update;
    }
    const repeated = await updates.repeat(id, randomUUID(), handOver);
    if (!repeated) return undefined;
    publish(repeated.decided.event);
    publish(repeated.queued.event);
    return repeated.decided.update;
  }

  async function decide(id: string, decision: Decision, round?: number): Promise<UpdateView | undefined> {
    ending.signal.throwIfAborted();
    const found = await updates.find(id);
    if (!(found && awaitsDecision(found)) || found.round !== (round ?? found.round)) return undefined;
    return found.sentThrough === 'outbox' ? decideInOutbox(found, decision) : decideOwn(id, decision);
  }

  let closing: Promise<void> | undefined;
  return {
    submit: (update) => inTurn(() => accept(update)),
    decide: (id, decision, round) => decideInTurn(() => decide(id, decision, round)),
    async settled(id) {
      const heard = hear(id, isSettled);
      try {
        const found = await updates.find(id);
        if (!found) throw new Error(`There is no update ${id}.`);
        return isSettled(found) ? found : await heard.promise;
      } finally {
        heard.stop();
      }
    },
    close() {
      closing ??= (async () => {
        ending.abort();
        await inTurn(async () => {});
        await outbox.close({ graceMs });
        await following.catch(() => {});
      })();
      return closing;
    },
  };
}

interface Heard<T> {
  readonly promise: Promise<T>;
  stop(): void;
}

function readUpdate(event: StoredEvent, id: string): UpdateView | undefined {
  return 'update' in event && event.updateId === id ? event.update : undefined;
}

function isSettled(update: UpdateView): update is SettledUpdate {
  return update.report !== null;
}

/** Whether somebody else decided meanwhile, or an answer that came late did. */
function isGone(error: unknown): boolean {
  return error instanceof OutboxError && ['nothing_to_decide', 'unknown_update'].includes(error.code);
}
