import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxStore } from '@orders/outbox';
import { eventsOf } from '@orders/outbox/inbox';
import { seededRandom } from '../chaos/random.ts';
import { signatureHeader } from './protocol.ts';
import type { Receivers } from './receivers.ts';

/** How much is delivered. */
export interface Size {
  readonly seed: number;
  readonly events: number;
  readonly orders: number;
  readonly deliveries: number;
  /** How often a process is killed, in milliseconds. */
  readonly killEveryMs: number;
  /** How much later some repeated deliveries come, in milliseconds. */
  readonly lateMs: number;
}

/** Where it is delivered. */
export interface Place {
  readonly receivers: Receivers;
  readonly secret: string;
  /** Opens what the receivers use, once they have ended. */
  readonly open: () => Promise<OutboxStore>;
  readonly restartDatabase?: () => Promise<void>;
  readonly onProgress: (text: string) => void;
}

/** What came of it: the lists are empty where the inbox keeps its promises. */
export interface Report {
  readonly deliveries: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly restarts: number;
  /** Events with a 204 and no effect, with two, or whose update does not fit. */
  readonly lost: readonly string[];
  readonly repeated: readonly string[];
  readonly torn: readonly string[];
  /** Events that took effect before one that was stored before they were delivered. */
  readonly overtaking: readonly string[];
  /** Forged events that were stored. */
  readonly forged: readonly string[];
}

interface Event {
  readonly id: string;
  readonly token: string;
  readonly body: Buffer;
  deliveredAtMs: number | undefined;
  storedAtMs: number | undefined;
}

const concurrency = 16;
const bom = '\ufeff';

/** Bodies as senders make them: compact, indented with CRLF, after a byte order mark, and of almost 1 MiB. */
function bodyOf(id: string, token: string, index: number): Buffer {
  const plain = JSON.stringify({ id, token });
  if (index % 100 === 99) return Buffer.from(JSON.stringify({ id, token, filling: 'x'.repeat(1_048_000) }));
  if (index % 3 === 1) return Buffer.from(JSON.stringify({ id, token }, null, 2).replaceAll('\n', '\r\n'));
  if (index % 3 === 2) return Buffer.from(bom + plain);
  return Buffer.from(plain);
}

/** Delivers events, some of them several times, while processes are killed, and looks at what they did. */
export async function runDeliveries(size: Size, place: Place): Promise<Report> {
  const random = seededRandom(size.seed);
  const { receivers, secret, onProgress } = place;
  const events = Array.from({ length: size.events }, (_, index): Event => {
    const [id, token] = [`event-${index}`, `order-${index % size.orders}`];
    return { id, token, body: bodyOf(id, token, index), deliveredAtMs: undefined, storedAtMs: undefined };
  });
  const statuses: Record<string, number> = {};
  let deliveries = 0;

  const post = async (body: Buffer, signature: string): Promise<number> => {
    const port = receivers.ports[Math.floor(random() * receivers.ports.length)];
    deliveries++;
    let status = 'none';
    try {
      const response = await fetch(`http://127.0.0.1:${port}/hooks`, {
        method: 'POST',
        headers: { [signatureHeader]: signature, connection: 'close' },
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(30_000),
      });
      await response.arrayBuffer();
      status = String(response.status);
    } catch {
      // A process was killed.
    }
    statuses[status] = (statuses[status] ?? 0) + 1;
    return Number(status);
  };
  /** Delivers an event until it is stored, as a service repeats what is not answered. */
  const deliver = async (event: Event): Promise<void> => {
    const signature = createHmac('sha256', secret).update(event.body).digest('hex');
    for (;;) {
      event.deliveredAtMs ??= performance.now();
      const status = await post(event.body, signature);
      if (status === 204) {
        event.storedAtMs ??= performance.now();
        return;
      }
      if (status === 400 || status === 401 || status === 413 || status === 422)
        throw new Error(`${event.id} was refused with ${status}.`);
      await delay(200);
    }
  };
  const forge = async (index: number): Promise<void> => {
    const body = bodyOf(`forged-${index}`, `order-${index % size.orders}`, index);
    const signature =
      index % 2 === 0 ? '00'.repeat(32) : createHmac('sha256', 'guessed').update(body).digest('hex');
    await post(body, signature);
  };

  let isOver = false;
  let restarts = 0;
  const disturb = async (): Promise<void> => {
    for (let round = 1; !isOver; round++) {
      await delay(size.killEveryMs);
      receivers.kill(random, size.killEveryMs);
      if (round % 20 !== 0 || !place.restartDatabase) continue;
      await place.restartDatabase();
      restarts++;
    }
  };
  const disturbing = disturb();
  try {
    // Each once, in a row; then what is left of the deliveries: repeated and forged ones in any order.
    const left = Math.max(0, size.deliveries - events.length);
    const jobs = [
      ...events.map((event) => () => deliver(event)),
      ...Array.from({ length: left }, (_, index) => {
        const event = events[Math.floor(random() * events.length)] as Event;
        return index % 20 === 0 ? () => forge(index) : () => deliver(event);
      }),
    ];
    // A little out of their order.
    for (let at = 0; at < jobs.length; at++) {
      const other = Math.min(jobs.length - 1, at + Math.floor(random() * 50));
      [jobs[at], jobs[other]] = [jobs[other] as never, jobs[at] as never];
    }
    const begunAt = performance.now();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (let job = jobs.shift(); job; job = jobs.shift()) {
          await job();
          if (jobs.length % 500 === 0 && jobs.length > 0)
            onProgress(`${jobs.length} deliveries left, ${receivers.kills} kills`);
        }
      }),
    );
    await delay(Math.max(0, size.lateMs - (performance.now() - begunAt)));
    onProgress('the late deliveries');
    for (const event of events.slice(0, 100)) await deliver(event);
  } finally {
    isOver = true;
    await disturbing;
  }
  onProgress('the rest is handled');
  await receivers[Symbol.asyncDispose]();
  return { ...(await look(size, place, events)), deliveries, statuses, kills: receivers.kills, restarts };
}

/** Opens the database after all processes have ended, has what is left handled, and reads what handlers did. */
async function look(
  { orders }: Size,
  { open }: Place,
  events: readonly Event[],
): Promise<Pick<Report, 'lost' | 'repeated' | 'torn' | 'overtaking' | 'forged'>> {
  const store = await open();
  try {
    const { queued, needs_review } = await eventsOf(store).counts();
    if (queued + needs_review > 0)
      throw new Error(`${queued} events are queued, ${needs_review} need review.`);
    const { rows } = await store.query('select event, token from shop.effects order by number');
    const effects = rows as { event: string; token: string }[];
    const updates = (
      await store.query(
        "select body::json -> 'cart' -> 'items' -> 0 ->> 'sku' as event from orders_outbox.updates",
      )
    ).rows as { event: string }[];
    const stored = (await store.query('select id from orders_outbox.events')).rows as { id: string }[];
    const count = (list: readonly { readonly event: string }[]): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const { event } of list) counts.set(event, (counts.get(event) ?? 0) + 1);
      return counts;
    };
    const [ofEffects, ofUpdates] = [count(effects), count(updates)];
    const byId = new Map(events.map((event) => [event.id, event]));
    const overtaking: string[] = [];
    for (let order = 0; order < orders; order++) {
      const mine = effects
        .filter(({ token }) => token === `order-${order}`)
        .map(({ event }) => byId.get(event));
      for (const [place, event] of mine.entries())
        for (const later of mine.slice(place + 1))
          if ((later?.storedAtMs ?? Infinity) < (event?.deliveredAtMs ?? 0)) overtaking.push(event?.id ?? '');
    }
    return {
      lost: events
        .filter(({ id, storedAtMs }) => storedAtMs !== undefined && !ofEffects.has(id))
        .map(({ id }) => id),
      repeated: [...ofEffects].filter(([, times]) => times > 1).map(([id]) => id),
      torn: events.filter(({ id }) => ofEffects.get(id) !== ofUpdates.get(id)).map(({ id }) => id),
      overtaking,
      forged: stored.filter(({ id }) => !byId.has(id)).map(({ id }) => id),
    };
  } finally {
    await store.close();
  }
}
