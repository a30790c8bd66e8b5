/** Waits for some work, or rejects with the signal's reason as soon as it aborts. */
export function until<T>(stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(stop.reason);
    if (stop.aborted) return giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => stop.removeEventListener('abort', giveUp));
  });
}
