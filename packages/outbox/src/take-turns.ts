/** Lets some work go on side by side, and other work alone. */
export interface Turns {
  /** Runs beside others, and waits for work that must be alone. */
  beside<T>(run: () => Promise<T>): Promise<T>;
  /** Runs once everything that was begun has ended, before anything that is asked for later. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}

/** Makes turns of its own. */
export function takeTurns(): Turns {
  let lastAlone: Promise<unknown> = Promise.resolve();
  const beside = new Set<Promise<unknown>>();
  return {
    beside(run) {
      const result = lastAlone.then(run);
      const ended: Promise<unknown> = result.catch(() => {}).finally(() => beside.delete(ended));
      beside.add(ended);
      return result;
    },
    alone(run) {
      const result = Promise.all([lastAlone, ...beside]).then(run);
      lastAlone = result.catch(() => {});
      return result;
    },
  };
}
