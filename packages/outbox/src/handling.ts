import { AsyncLocalStorage } from 'node:async_hooks';

/** A handler of an inbox that runs, for all that it causes. */
export interface Handling {
  hasReturned: boolean;
  /** What it has begun on its transaction and what it enqueues, until that settles. */
  readonly begun: Set<Promise<unknown>>;
}

/** Set while a handler runs: what it enqueues must commit with its event. */
export const handling = new AsyncLocalStorage<Handling>();

/** Lets the event wait for what its handler may not await. */
export function begin<Value>({ hasReturned, begun }: Handling, work: Promise<Value>): Promise<Value> {
  if (hasReturned) return work;
  const settled = work.catch(async (error) => {
    // A handler that only begins it has returned by then, so that its event counts the error.
    await new Promise(setImmediate);
    throw error;
  });
  const settle = (): void => void begun.delete(given);
  settled.then(settle, settle);
  // A promise of its own: where nobody hears of its error, Node says so.
  const given = settled.then((value) => value);
  begun.add(given);
  return given;
}
