import { expect, test } from 'vitest';
import { openTestStorage } from '../../test/open-test-storage.ts';
import { createEventHub } from './event-hub.ts';
import { followEvents } from './follow-events.ts';

test('says that there is nothing to say, and ends when it is told to', async () => {
  await using storage = await openTestStorage();
  const ending = new AbortController();
  const options = {
    events: storage.events,
    hub: createEventHub(),
    after: 0,
    signal: ending.signal,
    idleMs: 1,
  };
  const messages = followEvents(options);
  expect(await messages.next()).toEqual({ done: false, value: undefined });
  const next = followEvents({ ...options, idleMs: 60_000 }).next();
  ending.abort();
  expect(await messages.next()).toEqual({ done: true, value: undefined });
  expect(await next).toEqual({ done: true, value: undefined });
});

test('hears no more of the hub once nobody reads on', async () => {
  await using storage = await openTestStorage();
  const hub = createEventHub();
  let listeners = 0;
  const counted: typeof hub = {
    ...hub,
    subscribe(listener) {
      const leave = hub.subscribe(listener);
      listeners += 1;
      return () => {
        listeners -= 1;
        leave();
      };
    },
  };
  const { signal } = new AbortController();
  const messages = followEvents({ events: storage.events, hub: counted, after: 0, signal, idleMs: 1 });
  await messages.next();
  expect(listeners).toBe(1);
  await messages.return();
  expect(listeners).toBe(0);
});

test('reads on where a page of what was missed ends', async () => {
  await using storage = await openTestStorage();
  for (let count = 0; count < 450; count += 1)
    await storage.events.append({ kind: 'qr_session', token: 'order-1', sessionId: `${count}` });
  const { signal } = new AbortController();
  const heard: unknown[] = [];
  const options = { events: storage.events, hub: createEventHub(), after: 0, signal, idleMs: 1 };
  for await (const message of followEvents(options)) {
    if (!message) break;
    heard.push(message.type === 'stored' && message.seq);
  }
  expect(heard).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
});

test('misses nothing that is stored while it reads', async () => {
  await using storage = await openTestStorage();
  const hub = createEventHub();
  const { signal } = new AbortController();
  let reads = 0;
  const after: typeof storage.events.after = async (seq, limit) => {
    const page = await storage.events.after(seq, limit);
    reads += 1;
    if (reads > 1) return page;
    const event = { kind: 'qr_session', token: 'order-1', sessionId: 'meanwhile' } as const;
    hub.publish({ type: 'stored', ...(await storage.events.append(event)) });
    return page;
  };
  const messages = followEvents({ events: { after }, hub, after: 0, signal, idleMs: 60_000 });
  expect(await messages.next()).toMatchObject({ value: { event: { sessionId: 'meanwhile' } } });
  await messages.return();
});
