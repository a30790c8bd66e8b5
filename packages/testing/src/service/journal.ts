import type { Fault } from './faults/fault.ts';
import type { AuthorizationFacts } from './key-ring.ts';
import type { ReceivedBody } from './read-body.ts';
import type { RequestHead } from './request-head.ts';

/** One request as the service received it, answered or not. */
export interface JournalEntry {
  /** The `x-request-id` of its answer. */
  readonly requestId: string;
  /** When its head arrived: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly path: string;
  /** Names in lower case, repeated headers joined by `, `; `authorization` reads `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
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

interface OpenEntry {
  readonly entry: JournalEntry;
  /** Notes that the body has arrived as far as it ever will. */
  markReceived(body: ReceivedBody): void;
  markAnswered(status: number, at: number): void;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  open(
    head: RequestHead,
    seen: Pick<JournalEntry, 'requestId' | 'at' | 'authorization' | 'fault'>,
  ): OpenEntry;
  received(count: number): Promise<void>;
  /** Fails whoever still waits, since nothing can arrive any more. */
  close(): void;
}

export function createJournal(): Journal {
  const entries: JournalEntry[] = [];
  const waiting = new Set<{ count: number; resolve: () => void; reject: (reason: Error) => void }>();
  let receivedCount = 0;
  let isClosed = false;

  return {
    entries,
    open(head, seen) {
      const entry: { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] } = {
        ...seen,
        method: head.method,
        path: head.target,
        headers: redactHeaders(head.headers),
        body: Buffer.alloc(0),
        complete: false,
        status: undefined,
        answeredAt: undefined,
      };
      entries.push(entry);
      return {
        entry,
        markReceived(body) {
          entry.body = body.bytes;
          entry.complete = body.end === 'complete';
          receivedCount += 1;
          for (const waiter of waiting) {
            if (waiter.count > receivedCount) continue;
            waiting.delete(waiter);
            waiter.resolve();
          }
        },
        markAnswered(status, at) {
          entry.status = status;
          entry.answeredAt = at;
        },
      };
    },
    received(count) {
      if (receivedCount >= count) return Promise.resolve();
      const missing = () => new Error(`The service closed after ${receivedCount} of ${count} requests.`);
      if (isClosed) return Promise.reject(missing());
      return new Promise((resolve, reject) => {
        waiting.add({ count, resolve, reject: () => reject(missing()) });
      });
    },
    close() {
      isClosed = true;
      for (const waiter of waiting) waiter.reject(new Error('closed'));
      waiting.clear();
    },
  };
}

function redactHeaders(headers: RequestHead['headers']): Record<string, string> {
  const redacted: Record<string, string> = {};
  for (const name in headers) {
    redacted[name] = name === 'authorization' ? '[redacted]' : (headers[name]?.join(', ') ?? '');
  }
  return redacted;
}
