import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Gathers single requests into batches: one batch runs at a time, and whatever is asked meanwhile makes the next. So one
 * request alone waits no longer than `lingerMs`, and many share a round trip.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  lingerMs = 0,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly settled: PromiseWithResolvers<Result>;
  }
  let waiting: Waiting[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      // A turn of the loop, at least: whatever is asked in it comes along.
      await (lingerMs > 0 ? delay(lingerMs) : nextTurn());
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
    if (!running) void drain();
    return settled.promise;
  };
}
