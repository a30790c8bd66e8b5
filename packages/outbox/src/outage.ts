import { reasonOf } from './reason-of.ts';

/** Tells a person once that the database is away, and once that it is back. */
export interface Outage {
  fails(error: unknown): void;
  works(): void;
}

/** How long to wait before a database that did not answer is asked again, in milliseconds. */
export const askAgainMs = 500;

/** A database that comes back lets some fail still, in milliseconds. */
const settledMs = 2_000;

/** Keeps the news of one database. */
export function watchOutage(warn: (message: string) => void, now: () => number): Outage {
  let lastFailure: number | undefined;
  return {
    fails(error) {
      if (lastFailure === undefined) {
        warn(`The database of the outbox does not work, and the outbox goes on trying: ${reasonOf(error)}`);
      }
      lastFailure = now();
    },
    works() {
      if (lastFailure === undefined || now() - lastFailure < settledMs) return;
      lastFailure = undefined;
      warn('The database of the outbox works again.');
    },
  };
}
