import { AsyncLocalStorage } from 'node:async_hooks';

/** A handler of an inbox that runs, for all that it causes. */
export interface Handling {
  hasReturned: boolean;
  /** Whether its transaction has ended, or its time. */
  isOver: boolean;
  /** What it has begun on its transaction, and what it enqueues, until that settles: it must await all of it. */
  readonly begun: Set<Promise<unknown>>;
}

/** Set while a handler runs: what it enqueues must commit with its event. */
export const handling = new AsyncLocalStorage<Handling>();

/** Notes what a handler has begun, until `work` settles. */
export function noteBegun({ begun }: Handling, given: Promise<unknown>, work = given): void {
  const settle = (): void => void begun.delete(given);
  begun.add(given);
  work.then(settle, settle);
}

/** Notes what a handler enqueues. */
export function withinHandler<Value>(work: Promise<Value>): Promise<Value> {
  const state = handling.getStore();
  if (!state || state.hasReturned) return work;
  // A handler that does not await it has returned before it fails, so that its event counts that.
  const settled = work.catch(async (error) => {
    await new Promise(setImmediate);
    throw error;
  });
  // A promise of its own: an error that is not caught ends the process, as Node has it.
  const given = settled.then((value) => value);
  noteBegun(state, given, settled);
  // Its event has failed already.
  if (state.isOver) given.catch(() => {});
  return given;
}
