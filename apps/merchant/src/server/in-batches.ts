import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Gives what is there already together, at most so many at once, and waits only where nothing is. */
export async function* inBatches<T>(
  source: AsyncIterable<T>,
  most: number,
): AsyncGenerator<readonly T[], void> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const batch: T[] = [];
      let found: IteratorResult<T> | undefined = await next;
      while (found && !found.done) {
        batch.push(found.value);
        next = iterator.next();
        // Whoever is not asked any more must not reject unheard.
        next.catch(() => {});
        if (batch.length === most) break;
        found = await Promise.race([next, turnOfTheLoop(undefined)]);
      }
      if (batch.length > 0) yield batch;
      if (found?.done) return;
    }
  } finally {
    await iterator.return?.();
  }
}
