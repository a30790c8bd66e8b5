import { setTimeout as delay } from 'node:timers/promises';
import type { OrdersClient } from '@orders/client';
import { expect, test } from 'vitest';
import { onPostgres, step, until } from '../test/scene.ts';
import { type Steps, watchStore } from '../test/watch-store.ts';
import { allowedLateMs } from './limits.ts';
import { Pace } from './pace.ts';
import { settleUnsent } from './settlement.ts';

const rate = { perSecond: 10 };
/** What a stall lasts, in milliseconds: by then all slots that were taken together are over. */
const stallMs = 600;
const count = 7;

/** Between which two moments each update left, by the clock of `performance.now()`. */
interface Departure {
  readonly afterMs: number;
  readonly beforeMs: number;
}

interface Stalls extends Steps {
  /** Before the client is called, by the number of the call. */
  readonly call?: (number: number) => Promise<void> | undefined;
  /** Once an update has left, by its number. */
  readonly left?: (number: number) => void;
  /** Before and after the slots are taken that stand for others which are over, by the number of that. */
  readonly taking?: (number: number) => void;
  readonly taken?: (number: number) => Promise<void> | undefined;
}

/** What may stall between a slot and the departure of an update. */
const stalls: Readonly<Record<string, () => Stalls>> = {
  'the process, once an update has left': () => ({
    left: (number) => {
      if (number === 1) block();
    },
  }),
  'the process, at each of some departures': () => ({
    left: (number) => {
      if (number <= 4) block();
    },
  }),
  'a commit': () => {
    let turns = 0;
    return {
      beforeCommit: async (turn) => {
        if (turn?.heads.length && ++turns === 2) await delay(stallMs);
      },
    };
  },
  'each commit': () => ({
    afterCommit: async (turn) => {
      if (turn?.heads.length) await delay(stallMs);
    },
  }),
  'the connection, while other slots are taken': () => ({
    afterCommit: async (turn) => {
      if (turn?.heads.length) await delay(stallMs);
    },
    taken: (number) => (number === 1 ? delay(stallMs) : undefined),
  }),
  'the database, which fails to give other slots': () => ({
    afterCommit: async (turn) => {
      if (turn?.heads.length) await delay(stallMs);
    },
    taking() {
      throw new Error('no database');
    },
  }),
  'the hooks and connections of calls': () => ({
    call: (number) => (number <= 3 ? delay(stallMs * 2 - number * 200) : undefined),
  }),
};

function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs);
}

/** The client of a scene, whose departures are seen. */
function watchClient(client: OrdersClient, { call, left }: Stalls, departures: Departure[]): OrdersClient {
  let calls = 0;
  const safeUpdateOrder: OrdersClient['safeUpdateOrder'] = async (token, update, options) => {
    await call?.(++calls);
    return client.safeUpdateOrder(token, update, {
      ...options,
      beforeSend(attempt) {
        const afterMs = performance.now();
        options?.beforeSend?.(attempt);
        departures.push({ afterMs, beforeMs: performance.now() });
        left?.(departures.length);
      },
    });
  };
  return { ...client, safeUpdateOrder, echo: (options) => client.echo(options) };
}

for (const [name, create] of Object.entries(stalls))
  onPostgres(
    `lets no burst leave after a stall of ${name}`,
    async ({ open, openStore, client, service }) => {
      const stalling = create();
      const departures: Departure[] = [];
      const store = watchStore(await openStore(), stalling);
      let taken = 0;
      const outbox = await open({
        rate,
        client: watchClient(client, stalling, departures),
        store: {
          ...store,
          async executeSql(text, values) {
            if (!text.includes(`name = 'rate' returning`)) return store.executeSql(text, values);
            const number = ++taken;
            stalling.taking?.(number);
            const result = await store.executeSql(text, values);
            await stalling.taken?.(number);
            return result;
          },
        },
      });
      for (const { token } of service.orders.slice(0, count)) await outbox.enqueue(token, step(1));
      await outbox.start();
      await until('all is applied', () => service.ledger.length === count);
      expect(departures).toHaveLength(count);
      // However busy the machine is, an update left after the first moment of the one before, and before its own last.
      const gaps = departures
        .slice(1)
        .map(({ beforeMs }, index) => beforeMs - (departures[index]?.afterMs ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000 / rate.perSecond - allowedLateMs(rate));
    },
    // It stalls all tests of its process.
    { isAlone: name.startsWith('the process') },
  );

test('waits for no slot that is further away than a claim may grow old, which is no failure', async () => {
  const pace = new Pace(rate, async () => ({ waitsMs: [60_000] }));
  const { signal } = new AbortController();
  expect(await pace.wait(undefined, () => 3_000, signal)).toBe(false);
  expect(await pace.wait(performance.now() + 60_000, () => 3_000, signal)).toBe(false);
  expect(settleUnsent(2)).toEqual({
    state: 'queued',
    open: true,
    delayMs: 0,
    failures: 2,
    signal: 'none',
  });
});
