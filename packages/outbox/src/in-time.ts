/** What a promise gives, unless it takes too long, in milliseconds, or the signal fires first: then it rejects. */
export async function inTime<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('the outbox was closed before it chose'));
  const timer = setTimeout(() => reject(new Error(`it did not choose within ${ms / 1_000} s`)), ms);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
