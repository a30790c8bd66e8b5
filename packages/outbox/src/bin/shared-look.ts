/**
 * Makes a look that those who ask at the same time share, and that rejects after some milliseconds. A look that hangs goes
 * on, and no other begins meanwhile, so that askers never pile up behind a database.
 */
export function sharedLook<T>(look: () => Promise<T>, boundMs: number): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${boundMs / 1_000} s`)), boundMs);
    try {
      return await Promise.race([running, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
