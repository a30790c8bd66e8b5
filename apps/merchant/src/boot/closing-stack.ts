type Close = () => Promise<void> | void;

/** What was opened one after another, to be closed last first. */
export interface ClosingStack {
  add(close: Close): void;
  /** Closes all, whatever fails, and then rejects with the first failure; further calls wait for the first. */
  close(): Promise<void>;
}

/** Makes an empty one. */
export function createClosingStack(): ClosingStack {
  const opened: Close[] = [];
  let closing: Promise<void> | undefined;

  const closeAll = async () => {
    const failures: unknown[] = [];
    for (const close of opened.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    add: (close) => {
      opened.push(close);
    },
    close: () => (closing ??= closeAll()),
  };
}
