import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';
import { readStream } from '../../test/read-stream.ts';

/** Stores an event and tells it, as the desk does. */
async function happen({ storage, hub }: TestDesk, sessionId: string): Promise<void> {
  const stored = await storage.events.append({ kind: 'qr_session', token: 'order-1', sessionId });
  hub.publish({ type: 'stored', ...stored });
}

interface Listener {
  /** The numbers heard so far, in the order heard. */
  readonly heard: readonly number[];
  /** Resolves when the number was heard. */
  reach(seq: number): Promise<void>;
  leave(): void;
}

function listen({ desk }: TestDesk, lastEventId: number | undefined): Listener {
  const heard: number[] = [];
  const leaving = new AbortController();
  let told = () => {};
  const run = async () => {
    const headers: Record<string, string> =
      lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const answer = await fetch(`${desk.url}/api/events`, { headers, signal: leaving.signal });
    for await (const { event, data } of readStream(answer)) {
      if (event === 'stored') heard.push((data as { seq: number }).seq);
      told();
    }
  };
  run().catch(() => {});
  return {
    heard,
    async reach(seq) {
      while (!heard.includes(seq)) await new Promise<void>((resolve) => (told = resolve));
    },
    leave: () => leaving.abort(),
  };
}

test('begins with where it stands, and tells what is stored from then on with its number', async () => {
  await using open = await openTestDesk();
  await happen(open, 'before');
  const answer = await fetch(`${open.desk.url}/api/events`);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const messages = readStream(answer);
  expect(await messages.next()).toMatchObject({ value: { event: 'ready', id: '1', data: { seq: 1 } } });
  await happen(open, 'after');
  expect(await messages.next()).toMatchObject({
    value: {
      event: 'stored',
      id: '2',
      data: { seq: 2, at: expect.any(String), event: { kind: 'qr_session', sessionId: 'after' } },
    },
  });
  await messages.return();
});

test('tells how things that pass stand now, and not each way they stood', async () => {
  await using open = await openTestDesk();
  const messages = readStream(await fetch(`${open.desk.url}/api/events`));
  await messages.next();
  const view = { available: true, setting: { trouble: 'slow', percent: 1 } } as const;
  for (const percent of [1, 2, 3]) {
    const switchboard = { ...view, setting: { ...view.setting, percent } };
    open.hub.publish({ type: 'passing', event: { kind: 'switchboard_changed', switchboard } });
  }
  expect(await messages.next()).toMatchObject({
    value: { event: 'passing', id: undefined, data: { switchboard: { setting: { percent: 3 } } } },
  });
  await messages.return();
});

test('replays what was missed since the number asked for', async () => {
  await using open = await openTestDesk();
  for (const session of ['a', 'b', 'c']) await happen(open, session);
  for (const first of [0, 1, 3]) {
    const messages = readStream(await fetch(`${open.desk.url}/api/events?after=${first}`));
    expect(await messages.next()).toMatchObject({ value: { event: 'ready', id: String(first) } });
    for (let seq = first + 1; seq <= 3; seq += 1)
      expect(await messages.next()).toMatchObject({ value: { event: 'stored', id: String(seq) } });
    await messages.return();
  }
});

test('starts anew after a number that it never gave', async () => {
  await using open = await openTestDesk();
  await happen(open, 'a');
  for (const id of ['2', '9', 'x', '-1', '1e3']) {
    const headers = { 'last-event-id': id };
    const messages = readStream(await fetch(`${open.desk.url}/api/events`, { headers }));
    expect(await messages.next()).toMatchObject({ value: { event: 'ready', id: '1' } });
    await messages.return();
  }
});

const stays = fc.array(
  fc.record({
    /** Events that happen while nobody listens. */
    before: fc.nat(3),
    /** Events that are waited for, one by one. */
    during: fc.nat(3),
    /** Events that happen while the listener leaves. */
    leaving: fc.nat(3),
  }),
  { minLength: 1, maxLength: 4 },
);

test('tells each event once and in order to who leaves and comes back at any time', async () => {
  await using open = await openTestDesk();
  await fc.assert(
    fc.asyncProperty(stays, async (given) => {
      const first = await open.storage.events.lastSeq();
      let stored = first;
      const happenOften = async (count: number) => {
        for (let left = count; left > 0; left -= 1) {
          stored += 1;
          await happen(open, `session-${stored}`);
        }
      };
      const heard: number[] = [];
      for (const { before, during, leaving } of given) {
        await happenOften(before);
        const listener = listen(open, heard.at(-1) ?? first);
        for (let left = during; left > 0; left -= 1) {
          await happenOften(1);
          await listener.reach(stored);
        }
        const happening = happenOften(leaving);
        listener.leave();
        heard.push(...listener.heard);
        await happening;
      }
      const last = listen(open, heard.at(-1) ?? first);
      if (stored > (heard.at(-1) ?? first)) await last.reach(stored);
      last.leave();
      heard.push(...last.heard);
      expect(heard).toEqual(Array.from({ length: stored - first }, (_, index) => first + 1 + index));
    }),
    { numRuns: 15 },
  );
});

test('keeps nobody waiting for who does not listen on', async () => {
  await using open = await openTestDesk();
  const stalled = await fetch(`${open.desk.url}/api/events`);
  const listener = listen(open, 0);
  for (let count = 1; count <= 30; count += 1) await happen(open, 'x'.repeat(20_000));
  await listener.reach(30);
  listener.leave();
  await stalled.body?.cancel();
});
