import type { Fault } from './faults/fault.ts';
import type { AuthorizationFacts } from './key-ring.ts';
import type { ReceivedBody } from './read-body.ts';

/** One request as the service received it, answered or not. */
export interface JournalEntry {
  /** The `x-request-id` of its answer. */
  readonly requestId: string;
  /** When its head arrived: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly path: string;
  /** The operation that the path names, whatever the method; undefined when it names none. */
  readonly operation: 'update' | 'echo' | undefined;
  /** The order token that the path names, decoded. */
  readonly token: string | undefined;
  /** Names in lower case, repeated headers joined by `, `; `authorization` reads `[redacted]`. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  /** What the redacted `Authorization` amounted to. */
  readonly authorization: AuthorizationFacts;
  /** What the fault script made it meet; undefined when nothing was to go wrong. */
  readonly fault: Fault | undefined;
  /** The bytes of the body as far as they were kept: never more than `maxBodyBytes`. */
  readonly body: Buffer;
  /** Whether `body` is the whole body; false while it arrives, when it was cut off and when it was too large. */
  readonly complete: boolean;
  /** The status sent; undefined while none was. */
  readonly status: number | undefined;
  /** When the answer was sent: milliseconds since the epoch; undefined while none was. */
  readonly answeredAt: number | undefined;
}

/** An entry while its request is under way. */
export type OpenEntry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] };

export interface Journal {
  readonly entries: readonly JournalEntry[];
  add(entry: OpenEntry): void;
  /** Notes that the body has arrived as far as it ever will. */
  markReceived(entry: OpenEntry, body: ReceivedBody): void;
  received(count: number): Promise<void>;
  /** Forgets every entry, and what was counted. */
  reset(): void;
  /** Fails whoever still waits, since nothing can arrive any more. */
  close(): void;
}

interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
  readonly reject: () => void;
}

export function createJournal(limit = Number.POSITIVE_INFINITY): Journal {
  const entries: JournalEntry[] = [];
  const waiting = new Set<Waiter>();
  let receivedCount = 0;
  let isClosed = false;

  return {
    entries,
    add(entry) {
      entries.push(entry);
      if (entries.length > limit) entries.shift();
    },
    markReceived(entry, body) {
      entry.body = body.bytes;
      entry.complete = body.end === 'complete';
      receivedCount += 1;
      if (waiting.size === 0) return;
      for (const waiter of waiting) {
        if (waiter.count > receivedCount) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    },
    received(count) {
      if (receivedCount >= count) return Promise.resolve();
      const missing = () => new Error(`The service closed after ${receivedCount} of ${count} requests.`);
      if (isClosed) return Promise.reject(missing());
      return new Promise((resolve, reject) => {
        waiting.add({ count, resolve, reject: () => reject(missing()) });
      });
    },
    reset() {
      entries.length = 0;
      receivedCount = 0;
    },
    close() {
      isClosed = true;
      for (const waiter of waiting) waiter.reject();
      waiting.clear();
    },
  };
}
