import { z } from 'zod';
import type { Fault } from './fault.ts';
import { FilterSchema } from './fault-script.ts';
import { createHistory, type History } from './history.ts';
import type { AuthorizationFacts } from './keys.ts';

/** A request as the service received it, whether it got a response or not. */
export interface JournalEntry {
  /** The `x-request-id` of its response. */
  readonly requestId: string;
  /** When its headers arrived: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly path: string;
  /** The operation that the path names, whatever the method; undefined for another path. */
  readonly operation: 'update' | 'echo' | undefined;
  /** The order token that the path names, decoded. */
  readonly token: string | undefined;
  /** Names in lower case, repeated headers joined by `, `; `authorization` reads `[redacted]`. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  /** What the redacted `Authorization` amounted to. */
  readonly authorization: AuthorizationFacts;
  /** The fault that it met. */
  readonly fault: Fault | undefined;
  /** The body, at most `maxBodyBytes` of it. */
  readonly body: Buffer;
  /** Whether `body` is the whole body; false while it arrives, when it was cut off, and when it was too large. */
  readonly complete: boolean;
  /** The status sent; undefined while none was. */
  readonly status: number | undefined;
  /** When the response was sent: milliseconds since the epoch; undefined while none was. */
  readonly respondedAt: number | undefined;
}

export const RequestFilterSchema = FilterSchema.extend({ status: z.int().min(200).max(999).optional() });

/** An entry while its request is in flight. */
export type OpenEntry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

export interface Journal {
  readonly history: History<JournalEntry>;
  /** Called once for each request, when nothing more of its body will arrive. */
  markReceived(): void;
  waitForRequests(count: number): Promise<void>;
  /** Removes every entry, and starts to count from 0. */
  reset(): void;
  /** Rejects every wait. */
  close(): void;
}

export function createJournal(limit: number): Journal {
  const history = createHistory<JournalEntry>(limit);
  const waiting = new Set<{ count: number; resolve: () => void; reject: (reason: Error) => void }>();
  let receivedCount = 0;
  let isClosed = false;
  const closedAfter = (count: number) =>
    new Error(`The service closed after ${receivedCount} of ${count} requests.`);

  return {
    history,
    markReceived() {
      receivedCount += 1;
      for (const waiter of waiting) {
        if (waiter.count > receivedCount) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    },
    async waitForRequests(count) {
      if (!Number.isSafeInteger(count) || count < 0)
        throw new TypeError(`waitForRequests: write a whole number of requests, not ${String(count)}.`);
      if (receivedCount >= count) return;
      if (isClosed) throw closedAfter(count);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.add({ count, resolve, reject });
      await promise;
    },
    reset() {
      history.clear();
      receivedCount = 0;
    },
    close() {
      isClosed = true;
      for (const { count, reject } of waiting) reject(closedAfter(count));
      waiting.clear();
    },
  };
}
