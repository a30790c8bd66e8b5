import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a batch is waited for. */
export interface Linger {
  /** Milliseconds at most. */
  readonly ms: number;
  /** Requests that are enough not to wait any longer. */
  readonly enough: () => number;
}

/**
 * Gathers single requests into batches: one batch runs at a time, and whatever is asked meanwhile makes the next. So one
 * request alone waits no longer than it should linger, and many share a round trip.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  linger?: Linger,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly settled: PromiseWithResolvers<Result>;
  }
  let waiting: Waiting[] = [];
  let running = false;
  let onEnough = (): void => {};

  async function fill({ ms, enough }: Linger): Promise<void> {
    if (waiting.length >= enough()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    onEnough = () => {
      if (waiting.length >= enough()) resolve();
    };
    await promise;
    clearTimeout(timer);
    onEnough = () => {};
  }

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      // A turn of the loop, at least: whatever is asked in it comes along.
      await nextTurn();
      if (linger) await fill(linger);
      const batch = waiting;
      waiting = [];
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [place, { settled }] of batch.entries()) settled.resolve(results[place] as Result);
      } catch (error) {
        for (const { settled } of batch) settled.reject(error);
      }
    }
    running = false;
  }

  return (item) => {
    const settled = Promise.withResolvers<Result>();
    waiting.push({ item, settled });
    if (running) onEnough();
    else void drain();
    return settled.promise;
  };
}
