import { Hono } from 'hono';
import { type SSEMessage, streamSSE } from 'hono/streaming';
import type { DeskMessage } from '../contract/desk-event.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import type { EventHub } from './event-hub.ts';
import { followEvents } from './follow-events.ts';

export interface EventRoutesOptions {
  readonly storage: Pick<DeskStorage, 'events'>;
  readonly hub: Pick<EventHub, 'subscribe'>;
  /** Ends every stream when the desk itself ends. */
  readonly signal: AbortSignal;
}

/** How long a browser waits before it connects again, in milliseconds. */
const retry = 1000;

/** The stream under `/api/events`: `ready`, then what was missed since `Last-Event-ID` or `?after=`, then all that happens. */
export function eventRoutes({ storage: { events }, hub, signal }: EventRoutesOptions): Hono {
  const routes = new Hono();

  routes.get('/', async (c) => {
    const after = startAt(c.req.header('last-event-id') ?? c.req.query('after'), await events.lastSeq());
    return streamSSE(c, async (stream) => {
      const left = new AbortController();
      stream.onAbort(() => left.abort());
      // The number is that of the message too, so that who leaves before anything happens misses nothing either.
      const ready = { event: 'ready', data: JSON.stringify({ seq: after }), id: String(after), retry };
      await stream.writeSSE(ready);
      const ended = AbortSignal.any([signal, left.signal]);
      try {
        for await (const message of followEvents({ events, hub, after, signal: ended })) {
          await (message ? stream.writeSSE(describe(message)) : stream.write(': nothing new\n\n'));
        }
      } catch {
        // Storage failed: the stream ends, and whoever comes back is told what was missed.
      }
    });
  });
  return routes;
}

/** A number that storage has not given yet is of another desk's events. */
function startAt(asked: string | undefined, last: number): number {
  const isKnown = asked !== undefined && /^\d{1,15}$/.test(asked) && Number(asked) <= last;
  return isKnown ? Number(asked) : last;
}

function describe(message: DeskMessage): SSEMessage {
  if (message.type === 'passing') return { event: 'passing', data: JSON.stringify(message.event) };
  const { type, ...stored } = message;
  return { event: type, data: JSON.stringify(stored), id: String(stored.seq) };
}
