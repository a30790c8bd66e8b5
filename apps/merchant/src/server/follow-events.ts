import type { DeskMessage, PassingEvent } from '../contract/desk-event.ts';
import type { EventStore } from '../storage/desk-storage.ts';
import type { EventHub } from './event-hub.ts';

export interface FollowOptions {
  readonly events: Pick<EventStore, 'after'>;
  readonly hub: Pick<EventHub, 'subscribe'>;
  /** The number of the stored event known last. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** How long to wait before saying that there is nothing to say, in milliseconds. @default 15_000 */
  readonly idleMs?: number;
}

/** Stored events that are read at once. */
const pageSize = 200;

/**
 * Gives every stored event after a number, in order and once each, however it came to be missed; and of what passes, how
 * it stands now. Gives `undefined` where nothing was to tell for a while. Ends when the signal fires.
 *
 * The hub says that there is something, and storage what it is: so a listener who takes long to read holds one page, and
 * nothing lies between what was missed and what happens now.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<DeskMessage | undefined, void> {
  const { events, hub, after, signal, idleMs = 15_000 } = options;
  const passing = new Map<string, DeskMessage>();
  let hasStored = true;
  let wake = () => {};
  const unsubscribe = hub.subscribe((message) => {
    if (message.type === 'stored') hasStored = true;
    else passing.set(subjectOf(message.event), message);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);

  const somethingToTell = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const isIdle = await new Promise<boolean>((resolve) => {
      wake = () => resolve(false);
      timer = setTimeout(resolve, idleMs, true);
    });
    clearTimeout(timer);
    return !isIdle;
  };

  try {
    let last = after;
    while (!signal.aborted) {
      if (hasStored) {
        hasStored = false;
        const page = await events.after(last, pageSize);
        for (const event of page) {
          last = event.seq;
          yield { type: 'stored', ...event };
        }
        hasStored ||= page.length === pageSize;
      }
      for (const [subject, message] of passing) {
        passing.delete(subject);
        yield message;
      }
      if (!(hasStored || passing.size > 0 || signal.aborted || (await somethingToTell()))) yield undefined;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', onAbort);
  }
}

/** What an event that passes is about: a later one replaces one that was not told yet. */
function subjectOf(event: PassingEvent): string {
  return event.kind === 'bulk_changed' ? event.bulk.id : event.kind;
}
