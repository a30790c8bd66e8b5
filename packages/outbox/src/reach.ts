/** Tells a person when the order service cannot be reached, and when it answers again. */
export interface Reach {
  /** Nothing could be sent. */
  fails(message: string): void;
  /** The service answered, whatever it said. */
  works(): void;
}

/** Single connections that fail among answers are no news; how long nothing must have been answered, in milliseconds. */
const quietMs = 10_000;

/** Keeps the news of one order service. */
export function watchReach(warn: (message: string) => void, now: () => number): Reach {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isAway = false;
  return {
    fails(message) {
      if (isAway || now() - answeredAt < quietMs) return;
      isAway = true;
      warn(`The order service cannot be reached, and the outbox goes on trying: ${message}`);
    },
    works() {
      answeredAt = now();
      if (!isAway) return;
      isAway = false;
      warn('The order service can be reached again.');
    },
  };
}
