import { OutboxError } from './outbox-error.ts';

/** How long one waits for its turn, in milliseconds. */
const patienceMs = 10_000;

/**
 * Runs no more at once than there are places, and of what has the same key one after another, in the order of the calls,
 * since the others would only wait for the first. Who waits for too long is told so. Where there is no end of places,
 * everything runs at once.
 */
export function atMost(places: () => number): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const running = new Set<string>();
  const lines = new Map<string, Set<() => void>>();

  function look(): void {
    for (const [key, line] of lines) {
      if (running.size >= places()) return;
      const [go] = line;
      if (running.has(key) || !go) continue;
      running.add(key);
      leave(key, go);
      go();
    }
  }

  function leave(key: string, go: () => void): void {
    const line = lines.get(key);
    if (!line?.delete(go)) return;
    // Keys take turns.
    lines.delete(key);
    if (line.size > 0) lines.set(key, line);
  }

  async function takePlace(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = lines.get(key) ?? new Set();
    lines.set(key, line.add(resolve));
    look();
    if (!line.has(resolve)) return;
    const timer = setTimeout(() => {
      leave(key, resolve);
      reject(new OutboxError('database_unusable', busy));
    }, patienceMs);
    await promise.finally(() => clearTimeout(timer));
  }

  return async (key, run) => {
    if (places() === Number.POSITIVE_INFINITY) return run();
    await takePlace(key);
    try {
      return await run();
    } finally {
      running.delete(key);
      look();
    }
  };
}

const busy = `No connection came free for this in ${patienceMs / 1_000} s, so nothing was changed: transactions hold orders for long, or more was asked for at once than the database does.`;
