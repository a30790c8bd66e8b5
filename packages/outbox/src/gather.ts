import { setImmediate as nextTurn } from 'node:timers/promises';

/** How requests are gathered. */
export interface GatherOptions {
  /**
   * How long a batch waits for more, in milliseconds.
   * @default 0
   */
  readonly lingerMs?: number;
  /**
   * Requests that are enough to begin a batch at once.
   * @default 1
   */
  readonly enough?: () => number;
}

/**
 * Gathers single requests into batches: whatever is asked while one is under way makes the next. So one request alone
 * waits no longer than it should linger, and many share a round trip.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { lingerMs = 0, enough = () => 1 }: GatherOptions = {},
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly settled: PromiseWithResolvers<Result>;
  }
  let waiting: Waiting[] = [];
  let isUnderWay = false;
  let timer: NodeJS.Timeout | undefined;

  async function runBatch(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isUnderWay = true;
    // A turn of the loop, at least: whatever is asked in it comes along.
    await nextTurn();
    const batch = waiting;
    waiting = [];
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [place, { settled }] of batch.entries()) settled.resolve(results[place] as Result);
    } catch (error) {
      for (const { settled } of batch) settled.reject(error);
    }
    isUnderWay = false;
    look();
  }

  function look(): void {
    if (waiting.length === 0 || isUnderWay) return;
    if (waiting.length >= enough()) void runBatch();
    else timer ??= setTimeout(() => void runBatch(), lingerMs);
  }

  return (item) => {
    const settled = Promise.withResolvers<Result>();
    waiting.push({ item, settled });
    look();
    return settled.promise;
  };
}
