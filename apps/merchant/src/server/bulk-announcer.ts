/** Tells that something changed, and not too often. */
export interface BulkAnnouncer {
  /** Tells soon, once for all changes until then. */
  soon(): void;
  /** Tells at once. */
  now(): void;
  /** Tells nothing more, not even what it was to tell soon. */
  end(): void;
}

/** Makes an announcer that tells by itself at most every `intervalMs`. */
export function createBulkAnnouncer(tell: () => void, intervalMs = 250): BulkAnnouncer {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!hasEnded) tell();
  };
  return {
    soon() {
      timer ??= setTimeout(now, intervalMs);
    },
    now,
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
