import { OutboxError } from './outbox-error.ts';

/** How long one waits for its turn, in milliseconds. */
const patienceMs = 10_000;

/** Runs no more at once than there are places, the others one after another; who waits for too long is told so. */
export function atMost(places: () => number): <T>(run: () => Promise<T>) => Promise<T> {
  let taken = 0;
  const waiting = new Set<() => void>();

  function look(): void {
    for (const go of waiting) {
      if (taken >= places()) return;
      taken += 1;
      waiting.delete(go);
      go();
    }
  }

  async function takePlace(): Promise<void> {
    const place = Promise.withResolvers<void>();
    waiting.add(place.resolve);
    look();
    if (!waiting.has(place.resolve)) return;
    const timer = setTimeout(() => {
      waiting.delete(place.resolve);
      place.reject(new OutboxError('database_unusable', busy));
    }, patienceMs);
    await place.promise.finally(() => clearTimeout(timer));
  }

  return async (run) => {
    await takePlace();
    try {
      return await run();
    } finally {
      taken -= 1;
      look();
    }
  };
}

const busy =
  'Others wait for transactions that add to their orders, and no connection came free for this: nothing was changed.';
