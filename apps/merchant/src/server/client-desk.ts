import { randomUUID } from 'node:crypto';
import type { OrdersClient } from '@orders/client';
import type { NumberedEvent } from '../contract/desk-event.ts';
import type { UpdateView } from '../contract/update-view.ts';
import type { AcceptedUpdate, DeskStorage, UpdateChange } from '../storage/desk-storage.ts';
import { UpdateConflict } from '../storage/update-conflict.ts';
import { describeAttempt } from './describe-attempt.ts';
import type { EventHub } from './event-hub.ts';
import { keepTrying } from './keep-trying.ts';
import { nameError } from './name-error.ts';
import { reportUpdate } from './report-update.ts';
import { takeTurns } from './take-turns.ts';
import type { UpdateDesk } from './update-desk.ts';

export interface ClientDeskOptions {
  readonly storage: Pick<DeskStorage, 'updates' | 'events'>;
  readonly hub: Pick<EventHub, 'publish'>;
  readonly orders: Pick<OrdersClient, 'safeUpdateOrder'>;
  /** @default () => new Date() */
  readonly now?: () => Date;
  /** Told in one line, without any body, when something could not be stored. @default nobody is told */
  readonly warn?: (line: string) => void;
}

/** Makes a desk that sends each update at once; what it sends follows the settings of the client. */
export function createClientDesk(options: ClientDeskOptions): UpdateDesk {
  const { storage, hub, orders, now = () => new Date(), warn = () => {} } = options;
  const { updates, events } = storage;
  const ending = new AbortController();
  const sending = new Map<string, Promise<UpdateView>>();
  // Updates leave in the order in which they were stored.
  const inTurn = takeTurns();

  const untilStored = {
    signal: ending.signal,
    onFailure: tellLost,
    isFinal: (error: unknown) => error instanceof UpdateConflict,
  };

  const publish = (event: NumberedEvent) => hub.publish({ type: 'stored', ...event });
  const publishChange = ({ event, update }: UpdateChange): UpdateView => {
    publish(event);
    return update;
  };

  async function send({ id, token, body }: AcceptedUpdate): Promise<UpdateView> {
    // What is stored of one update is stored in the order in which it happened.
    const inOrder = takeTurns();
    const result = await orders.safeUpdateOrder(token, body, {
      // A closed tab does not end a send: what is cut off has an unknown outcome.
      signal: ending.signal,
      beforeAttempt: ({ attempt }) => inOrder(async () => publish(await updates.markSending(id, attempt))),
      afterAttempt: (end) => {
        inOrder(async () => publish(await events.append(describeAttempt({ id, token }, end)))).catch(
          tellLost,
        );
      },
    });
    const report = reportUpdate(result, now());
    const change = await inOrder(() => keepTrying(() => updates.settle(id, report), untilStored));
    return publishChange(change);
  }

  function start(update: AcceptedUpdate): void {
    const settled = send(update).finally(() => sending.delete(update.id));
    sending.set(update.id, settled);
    settled.catch((error) => warn(`An update stays open until the desk starts again (${nameError(error)}).`));
  }

  function tellLost(error: unknown): void {
    warn(`What became of an update could not be stored (${nameError(error)}).`);
  }

  async function accept(update: AcceptedUpdate): Promise<UpdateView> {
    ending.signal.throwIfAborted();
    const accepted = await updates.accept(update);
    if (accepted.event) {
      publish(accepted.event);
      start(update);
    }
    return accepted.update;
  }

  async function sendAgain(id: string): Promise<UpdateView | undefined> {
    ending.signal.throwIfAborted();
    const repeated = await updates.repeat(id, randomUUID());
    if (!repeated) return undefined;
    const { decided, queued } = repeated;
    for (const { event } of [decided, queued].sort((one, other) => one.event.seq - other.event.seq))
      publish(event);
    start({ id: queued.update.id, token: queued.update.token, body: queued.body, repeats: id });
    return decided.update;
  }

  async function discard(id: string): Promise<UpdateView | undefined> {
    const change = await updates.decide(id, 'discarded');
    return change && publishChange(change);
  }

  return {
    submit: (update) => inTurn(() => accept(update)),
    decide: (id, decision) => inTurn(() => (decision === 'sent_again' ? sendAgain(id) : discard(id))),
    async settled(id) {
      const update = await (sending.get(id) ?? updates.find(id));
      if (update?.report) return { ...update, report: update.report };
      throw new Error(`The update ${id} is not being sent, and was not settled.`);
    },
    async close() {
      ending.abort();
      await inTurn(async () => {});
      await Promise.allSettled(sending.values());
    },
  };
}
