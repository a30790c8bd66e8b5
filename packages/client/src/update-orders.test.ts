import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { basic } from '@orders/auth';
import type { OrderUpdate } from '@orders/schema';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { startFullBacklog } from '../test/full-backlog.ts';
import { published } from '../test/published.ts';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createVirtualClient } from '../test/virtual-client.ts';
import { createOrdersClient } from './index.ts';
import type { AfterAttemptEvent, OrdersClientOptions } from './options.ts';
import type { UnfinishedItems, UpdateOrdersItemResult, UpdateOrdersOptions } from './update-orders.ts';

const apiKey = 'swordfish-swordfish';

function items(tokens: readonly string[]) {
  return tokens.map((token, row) => ({ token, update: buildOrderUpdate({ order_id: String(row) }), row }));
}

async function collect<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of results) all.push(result);
  return all;
}

test('every item gets one result with its index, its own fields, and what became of it', async () => {
  await using service = await startMockOrderService({ orders: ['a', 'b', 'c'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const source = [
    ...items(['a', 'b', 'c', 'a', 'missing']),
    { token: 'a', update: JSON.parse('{}'), row: 5 },
  ];
  const results = await collect(orders.updateOrders(source, { concurrency: 3 }));
  results.sort((x, y) => x.index - y.index);
  expect(results.map(({ index, item }) => [index, item.row])).toEqual(
    source.map((_, index) => [index, index]),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual([
    'applied',
    'applied',
    'applied',
    'applied',
    'rejected',
    'not_sent',
  ]);
});

test('a run that is disposed of reads no further', async () => {
  await using service = await startMockOrderService({ orders: ['a'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  let read = 0;
  // Unlike a generator, it would go on after its end.
  const next = () => {
    read++;
    return { done: false, value: { token: 'a', update: buildOrderUpdate() } } as const;
  };
  const source = { [Symbol.iterator]: () => ({ next }) };
  {
    await using run = orders.updateOrders(source);
    for await (const { outcome } of run) {
      expect(outcome).toBe('applied');
      break;
    }
  }
  const [readBefore, appliedBefore] = [read, service.ledger.length];
  await orders.updateOrder('a', buildOrderUpdate());
  expect([read, service.ledger.length]).toEqual([readBefore, appliedBefore + 1]);
});

test('updates to one order are applied in the order given', async () => {
  await using service = await startMockOrderService({ orders: ['a', 'b'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const source = items(Array.from({ length: 200 }, (_, row) => (row % 3 ? 'a' : 'b')));
  await collect(orders.updateOrders(source, { concurrency: 8 }));
  for (const token of ['a', 'b']) {
    const given = source.filter((item) => item.token === token).map(({ update }) => update);
    expect(service.appliedUpdates(token)).toEqual(given);
  }
});

test('each order gets what its item held when it was read, whatever the source does to the object afterwards', async () => {
  const tokens = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 20 });
  const isRefused = fc.infiniteStream(fc.boolean());
  await fc.assert(
    fc.asyncProperty(
      tokens,
      isRefused,
      fc.integer({ min: 1, max: 8 }),
      async (given, refuses, concurrency) => {
        const applied: string[] = [];
        const { orders } = createVirtualClient({}, ({ path }, { body = '' }) => {
          if (refuses.next().value) return { status: 429, headers: { 'retry-after': '0' }, latencyMs: 5 };
          applied.push(`${path.at(-1)} ${JSON.parse(body).cart.items[0].sku}`);
          return { latencyMs: 5 };
        });
        function* rows() {
          const line = { sku: '' };
          const item = { token: '', update: { cart: { items: [line] } } };
          for (const [row, token] of given.entries()) {
            line.sku = String(row);
            item.token = token;
            yield item;
          }
          item.token = '';
          Object.assign(item.update, { cart: 'none' });
        }
        const results = await collect(orders.updateOrders(rows(), { concurrency }));
        expect(results.every(({ ok }) => ok)).toBe(true);
        expect(applied.toSorted()).toEqual(given.map((token, row) => `${token} ${row}`).toSorted());
      },
    ),
    { numRuns: inFull ? 500 : 50 },
  );
});

test('one busy order cannot use up the concurrency', async () => {
  const release = Promise.withResolvers<void>();
  await using server = await startRawServer((socket, request) => {
    if (!request.includes('/orders/busy ')) socket.write(httpAnswer(200, {}, '{}'));
    else void release.promise.then(() => socket.write(httpAnswer(200, {}, '{}')));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const results: string[] = [];
  for await (const { item } of orders.updateOrders(items(['busy', 'busy', 'busy', 'busy', 'free', 'free']), {
    concurrency: 4,
  })) {
    results.push(item.token);
    if (results.length === 2) release.resolve();
  }
  expect(results.slice(0, 2)).toEqual(['free', 'free']);
  expect(results).toHaveLength(6);
});

test('reads at most four items per update in flight, and sends no more at once than concurrency', async () => {
  let atOnce = 0;
  let most = 0;
  await using server = await startRawServer((socket) => {
    most = Math.max(most, ++atOnce);
    setImmediate(() => {
      atOnce--;
      socket.write(httpAnswer(200, {}, '{}'));
    });
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  let read = 0;
  function* source() {
    for (; read < 500; read++) yield { token: `order_${read}`, update: { cart: {} } };
  }
  let taken = 0;
  for await (const _ of orders.updateOrders(source(), { concurrency: 5 })) {
    taken++;
    if (taken === 1) {
      // While the consumer takes no results, reading stops.
      while (server.requests.length < 20) await turn();
      for (let turns = 0; turns < 20; turns++) await turn();
    }
    expect(read - taken).toBeLessThanOrEqual(20);
  }
  expect(taken).toBe(500);
  expect(most).toBeLessThanOrEqual(5);
});

test('stop returns every item that the consumer did not get', async () => {
  await using service = await startMockOrderService({ orders: ['a', 'b', 'c'], latencyMs: 5 });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  let read = 0;
  let closed = false;
  async function* source() {
    try {
      for (const item of items(
        Array.from({ length: 100 }, (_, row) => ['a', 'b', 'c', 'a'][row % 4] as string),
      )) {
        read++;
        yield item;
      }
    } finally {
      closed = true;
    }
  }
  const run = orders.updateOrders(source(), { concurrency: 4 });
  const taken: UpdateOrdersItemResult<unknown>[] = [];
  for await (const result of run) if (taken.push(result) === 3) break;
  const { results, unsent } = await run.stop();
  const indexes = [...taken, ...results, ...unsent].map(({ index }) => index).sort((x, y) => x - y);
  expect(indexes).toEqual(Array.from({ length: read }, (_, index) => index));
  expect(service.ledger).toHaveLength(taken.length + results.length);
  expect(unsent.length).toBeGreaterThan(0);
  expect(closed).toBe(true);
});

test('an abort aborts updates in flight, reads nothing more, and ends the iteration after the results', async () => {
  const abort = new AbortController();
  await using server = await startRawServer((_socket, _request, count) => {
    if (count === 3) abort.abort(new Error('enough'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const source = items(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n']);
  const results = await collect(orders.updateOrders(source, { concurrency: 3, signal: abort.signal }));
  const outcomes = results.map((result) =>
    result.ok ? 'applied' : `${result.error.code} ${result.error.outcome}`,
  );
  expect(outcomes.filter((outcome) => outcome === 'aborted unknown')).toHaveLength(3);
  expect(outcomes.every((outcome) => outcome.startsWith('aborted'))).toBe(true);
  expect(server.requests).toHaveLength(3);
});

test('a generator that fires the signal itself ends the iteration without an error', async () => {
  await using orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  const abort = new AbortController();
  const source = (function* () {
    yield* items(['a']);
    abort.abort();
    yield* items(['b']);
  })();
  const results = await collect(orders.updateOrders(source, { signal: abort.signal }));
  expect(results.map((result) => result.error?.code)).toEqual(['aborted', 'aborted']);
});

test('a run waits for the pause of a 429, and no item fails of it', async () => {
  const { orders, departures } = createVirtualClient({ timeouts: { total: 500 } }, () =>
    departures.length === 1 ? { status: 429, headers: { 'ratelimit-reset': '0.8' } } : {},
  );
  const results = await collect(orders.updateOrders(items(['a', 'b', 'c', 'd']), { concurrency: 1 }));
  expect(departures[1]?.at).toBeGreaterThanOrEqual(800);
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
});

test('a run keeps the rate limit of its client, and no item times out in its own queue', async () => {
  const rateLimit = { requestsPerSecond: 25 };
  // The 64 that are in progress at once wait longer than that for their turn.
  const timeouts = { total: 1_600 };
  const { orders, departures } = createVirtualClient({ rateLimit, timeouts });
  const source = items(Array.from({ length: 1_000 }, (_, index) => `order_${index}`));
  const results = await collect(orders.updateOrders(source, { concurrency: 64 }));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(results).toHaveLength(1_000);
  expect((departures.at(-1)?.at ?? 0) - (departures[0]?.at ?? 0)).toBeGreaterThanOrEqual(999 * 40 - 5);
});

test('the events of a run have the item and its index', async () => {
  await using service = await startMockOrderService({ orders: ['a', 'b'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  service.faults.next([{ type: 'status', status: 429, headers: { 'retry-after': '0' } }], { token: 'a' });
  const source = items(['a', 'b', 'a']);
  const seen: string[] = [];
  const run = orders.updateOrders(source, {
    beforeAttempt: async ({ attempt, item, index }) => {
      expectTypeOf(item).toEqualTypeOf<(typeof source)[number]>();
      expect(item).toBe(source[index]);
      seen.push(`before ${item.row}: ${attempt}`);
    },
    beforeSend: ({ attempt, item, index }) => {
      expect(item).toBe(source[index]);
      seen.push(`send ${item.row}: ${attempt}`);
    },
    afterAttempt: ({ item, index, ...end }) => {
      expectTypeOf(item.row).toEqualTypeOf<number>();
      expectTypeOf(end).toExtend<AfterAttemptEvent>();
      expect(item).toBe(source[index]);
      seen.push(`after ${item.row}: ${end.attempt} ${end.status} ${end.retryDelayMs}`);
    },
  });
  for await (const { ok } of run) expect(ok).toBe(true);
  const of = (row: number): string[] => seen.filter((line) => line.includes(` ${row}: `));
  const last = (row: number, attempt: number) => [
    `before ${row}: ${attempt}`,
    `send ${row}: ${attempt}`,
    `after ${row}: ${attempt} 200 undefined`,
  ];
  // The 429 does not count, so the next attempt has its number.
  expect(of(0)).toEqual(['before 0: 1', 'send 0: 1', 'after 0: 1 429 0', ...last(0, 1)]);
  expect([of(1), of(2)]).toEqual([last(1, 1), last(2, 1)]);
});

test('a wrong option is a TypeError at once', async () => {
  await using orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  expect(() => orders.updateOrders([], { concurrency: 0 })).toThrow(TypeError);
  expect(() => orders.updateOrders([], { headers: { host: 'x' } })).toThrow(TypeError);
  const wrongs = [undefined, null, 5, 'abc', '', Symbol('a'), {}, function* () {}, Promise.resolve([])];
  for (const wrong of wrongs as never[])
    expect(() => orders.updateOrders(wrong)).toThrow('updateOrders: pass an iterable of { token, update }');
  const misspelled = { concurency: 4 } as object;
  expect(() => orders.updateOrders([], misspelled)).toThrow('Did you mean "concurrency"?');
});

test('a source may be a readonly array of readonly items', () => {
  const source: readonly { readonly token: string; readonly update: OrderUpdate }[] = [];
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  expectTypeOf(orders.updateOrders).toBeCallableWith(source);
});

test('a run of nothing ends at once', async () => {
  await using orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  expect(await collect(orders.updateOrders([]))).toEqual([]);
  expect(await orders.updateOrders(items(['a'])).stop()).toEqual({ results: [], unsent: [], errors: [] });
});

test.each(['destroy', 'close'] as const)(
  '%s ends a run that a pause delays, and leaves the rest of the source unread',
  async (end) => {
    await using service = await startMockOrderService({ orders: ['a'] });
    service.faults.always({ type: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    let read = 0;
    function* endless() {
      for (;;) {
        read += 1;
        yield { token: `order_${read}`, update: buildOrderUpdate() };
      }
    }
    const outcomes = new Set<string | undefined>();
    const options = { concurrency: 2, retry: { maxAttempts: 1 } };
    for await (const { error } of orders.updateOrders(endless(), options)) {
      if (outcomes.size === 0) void orders[end]();
      outcomes.add(error?.outcome);
    }
    expect(read).toBeLessThan(20);
    expect(outcomes).not.toContain(undefined);
    await orders.close();
  },
);

test('destroy ends a run whose source hangs', async () => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
  const source = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  const collected = collect(orders.updateOrders(source));
  await turn();
  await orders.destroy();
  expect(await collected).toEqual([]);
});

/** Takes so many requests in any second. */
function slidingLimit(perSecond: (now: number) => number) {
  const taken: number[] = [];
  return (now: number): boolean => {
    while ((taken[0] ?? now) <= now - 1_000) taken.shift();
    return taken.length < perSecond(now) && taken.push(now) > 0;
  };
}

/** Takes so many requests in each second of the clock. */
function fixedLimit(perSecond: (now: number) => number, windowMs = 1_000) {
  let second = -1;
  let count = 0;
  return (now: number): boolean => {
    if (Math.floor(now / windowMs) !== second) count = 0;
    second = Math.floor(now / windowMs);
    return ++count <= perSecond(now);
  };
}

/** Takes a share of requests, whatever their pace. */
function takesShare(share: number) {
  let seed = 1;
  return (): boolean => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 < share;
  };
}

const five = () => 5;
const changing = (now: number): number => (now < 20_000 ? 5 : now < 60_000 ? 2 : now < 80_000 ? 12 : 4);

test.each([
  ['5 in any second, with Retry-After: 1', slidingLimit(five), { 'retry-after': '1' }],
  ['5 in each second, with Retry-After: 1', fixedLimit(five), { 'retry-after': '1' }],
  ['5 in any second, without any header', slidingLimit(five), {}],
  ['5 in each second, without any header', fixedLimit(five), {}],
  ['5 in any second, with Retry-After: 0', slidingLimit(five), { 'retry-after': '0' }],
  ['1 in any second, with Retry-After: 1', slidingLimit(() => 1), { 'retry-after': '1' }],
  ['30 in each minute, with Retry-After: 20', fixedLimit(() => 30, 60_000), { 'retry-after': '20' }],
  ['a limit that changes under way, with Retry-After: 1', slidingLimit(changing), { 'retry-after': '1' }],
  ['a limit that changes under way, without any header', fixedLimit(changing), {}],
] as const)(
  'a service that takes %s gets 500 items with at most 1.3 requests an update, in sequence per order',
  async (_name, takes, headers) => {
    const applied: string[] = [];
    const { orders, departures } = createVirtualClient({}, ({ at }, { body = '' }) => {
      if (!takes(at)) return { latencyMs: 20, status: 429, headers };
      applied.push(JSON.parse(body).order_id);
      return { latencyMs: 20 };
    });
    const source = items(Array.from({ length: 500 }, (_, row) => `order_${row % 37}`));
    const results = await collect(orders.updateOrders(source));
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(applied).toHaveLength(500);
    expect(departures.length / 500).toBeLessThanOrEqual(1.3);
    for (const rows of Map.groupBy(applied.map(Number), (row) => row % 37).values())
      expect(rows).toEqual(rows.toSorted((a, b) => a - b));
  },
);

test.each([
  [0.97, 120],
  [0.9, 1_000],
  [0.7, 3_000],
])(
  'a service that takes a share of %s, whatever the pace, gets 500 items within %i s',
  async (share, seconds) => {
    const takes = takesShare(share);
    const { orders, clock } = createVirtualClient({}, () => ({ latencyMs: 20, status: takes() ? 200 : 429 }));
    const results = await collect(
      orders.updateOrders(items(Array.from({ length: 500 }, (_, row) => `order_${row % 37}`))),
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(clock.now()).toBeLessThan(seconds * 1_000);
  },
);

test('an item that a 429 puts back goes before later items of its order', async () => {
  const sent: string[] = [];
  const { orders } = createVirtualClient({}, (_departure, { body = '' }) => {
    sent.push(JSON.parse(body).order_id);
    return sent.length % 2 === 1 ? { status: 429, headers: { 'retry-after': '1' } } : {};
  });
  await collect(orders.updateOrders(items(['a', 'a', 'a', 'b', 'a']), { concurrency: 2 }));
  const ofA = sent.filter((row) => row !== '3').map(Number);
  expect(ofA).toEqual(ofA.toSorted((a, b) => a - b));
  expect(new Set(ofA)).toEqual(new Set([0, 1, 2, 4]));
});

test('a bulk to a service that limits it, over sockets: every item is applied, although each gets fewer attempts than 429s', async () => {
  const takes = slidingLimit(() => 20);
  await using server = await startRawServer((socket) =>
    socket.write(
      takes(performance.now()) ? httpAnswer(200, {}, '{}') : httpAnswer(429, { 'retry-after': '0.2' }),
    ),
  );
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
  const source = items(Array.from({ length: 60 }, (_, index) => `order_${index}`));
  const results = await collect(orders.updateOrders(source, { concurrency: 32 }));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
});

test.each([{ retry: { maxAttempts: 2 } }, { timeouts: { total: 3_000 } }])(
  'a 429 counts as in a single call when the run sets %o',
  async (options) => {
    const { orders } = createVirtualClient({}, () => ({ status: 429, headers: { 'retry-after': '2' } }));
    const [result] = await collect(orders.updateOrders(items(['a']), options));
    expect(result?.error).toMatchObject({ outcome: 'rejected', attemptCount: 2 });
  },
);

test('after maxPauseMs with nothing but 429s, all items that remain are rejected', async () => {
  const { orders, departures, clock } = createVirtualClient({ maxPauseMs: 60_000 }, () => ({
    status: 429,
    headers: { 'retry-after': '10' },
  }));
  const run = orders.updateOrders(items(Array.from({ length: 40 }, (_, row) => `order_${row}`)));
  const results = await collect(run);
  expect(results).toHaveLength(40);
  expect(new Set(results.map(({ error }) => `${error?.outcome} ${error?.code}`))).toEqual(
    new Set(['rejected http_error']),
  );
  expect(clock.now()).toBeLessThan(120_000);
  expect(departures.length).toBeLessThan(40);
});

test('a run gives up only when every response has been a 429 for maxPauseMs', async () => {
  const maxPauseMs = 5_000;
  const treatment = fc.constantFrom(
    ...Array(5).fill({ status: 429 }),
    { status: 200 },
    { status: 503 },
    { headers: { 'content-type': 'text/html' } },
    { breaks: true },
    { latencyMs: 20_000 },
  );
  const scenario = fc.record({
    treatments: fc.infiniteStream(treatment),
    quietMs: fc.array(fc.constantFrom(0, 100, 3_000, 12_000), { minLength: 4, maxLength: 20 }),
    retryAfter: fc.constantFrom('0', '1', '4', '60'),
    latencyMs: fc.constantFrom(0, 50, 2_000),
    resendUnknown: fc.boolean(),
    concurrency: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ treatments, quietMs, retryAfter, latencyMs, ...given }) => {
      const { orders, clock, sleep } = createVirtualClient({ maxPauseMs }, () => ({
        latencyMs,
        headers: { 'retry-after': retryAfter },
        ...treatments.next().value,
      }));
      async function* source() {
        for (const [row, ms] of quietMs.entries()) {
          yield { token: `order_${row}`, update: { cart: {} } };
          await sleep(ms);
        }
      }
      let refusedAt: number | undefined;
      let refusedMs: number | undefined;
      const run = orders.updateOrders(source(), {
        concurrency: given.concurrency,
        retry: { resendUnknown: given.resendUnknown },
        timeouts: { attempt: 10_000 },
        afterAttempt({ attempt, status, retryDelayMs }) {
          const now = clock.now();
          refusedAt = status === 429 ? (refusedAt ?? now) : undefined;
          if (attempt === 1 && status === 429 && retryDelayMs === undefined)
            refusedMs ??= now - (refusedAt ?? now);
        },
      });
      const outcomes = (await collect(run)).map(({ outcome }) => outcome);
      expect(refusedMs ?? maxPauseMs).toBeGreaterThanOrEqual(maxPauseMs);
      expect(outcomes.includes('rejected')).toBe(refusedMs !== undefined);
    }),
    { numRuns: inFull ? 1_000 : 100 },
  );
});

test('an update that may have been applied stays unknown, also when a 429 and a refusal follow', async () => {
  const statuses = [503, 429, 404];
  const { orders } = createVirtualClient({}, () => ({
    status: statuses.shift() ?? 200,
    headers: { 'retry-after': '1' },
  }));
  const options = { retry: { resendUnknown: true } };
  const [result] = await collect(orders.updateOrders(items(['a']), options));
  expect(result).toMatchObject({ outcome: 'unknown', attemptCount: 3 });
});

test('time in which a run had nothing to send does not count as refused', async () => {
  let refusals = 2;
  const { orders, sleep } = createVirtualClient({ maxPauseMs: 5_000 }, () =>
    refusals-- > 0 ? { status: 429, headers: { 'retry-after': '1' } } : {},
  );
  async function* source() {
    yield* items(['a']);
    await sleep(60_000);
    yield* items(['b']);
  }
  let attempts = 0;
  const run = orders.updateOrders(source(), {
    beforeAttempt() {
      if (++attempts === 2) throw new Error('the first item is not sent again');
    },
  });
  const results = await collect(run);
  expect(results.map(({ outcome }) => outcome)).toEqual(['not_sent', 'applied']);
});

test('a run does not give up while the probe after a pause that was cut short has no response', async () => {
  const latencies = [50, 400, 600];
  const { orders, departures } = createVirtualClient({ maxPauseMs: 300 }, () => {
    const isRefused = departures.length <= 2;
    const latencyMs = latencies[departures.length - 1] ?? 0;
    return isRefused ? { latencyMs, status: 429, headers: { 'retry-after': '3600' } } : { latencyMs };
  });
  const results = await collect(orders.updateOrders(items(['a', 'b'])));
  expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
});

test('a client whose key a 429 paused says until when, also while a run waits', async () => {
  let isRefusing = true;
  const { orders, sleep } = createVirtualClient({}, () =>
    isRefusing ? { status: 429, headers: { 'retry-after': '60' } } : {},
  );
  const run = orders.updateOrders(items(['a', 'b']));
  const results = collect(run);
  await sleep(1_000);
  const now = Date.now();
  expect(Number(orders.pausedUntil) - now).toBeGreaterThan(58_000);
  isRefusing = false;
  expect((await results).map(({ ok }) => ok)).toEqual([true, true]);
  expect(orders.pausedUntil).toBeUndefined();
});

const hanging = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };

test.each(['nothing', 'a signal', 'close'] as const)(
  'stop resolves although the source hangs, after %s',
  async (before) => {
    const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey });
    const abort = new AbortController();
    const run = orders.updateOrders(hanging, { signal: abort.signal });
    const next = run[Symbol.asyncIterator]().next();
    await turn();
    if (before === 'a signal') abort.abort();
    if (before === 'close') void orders.close();
    expect(await run.stop()).toEqual({ results: [], unsent: [], errors: [] });
    expect(await next).toEqual({ done: true, value: undefined });
    await orders.close();
  },
);

test('stop returns items that wait for a pause as unsent, in order, and does not wait for its end', async () => {
  const { orders, sleep, clock } = createVirtualClient({}, () => ({
    status: 429,
    headers: { 'retry-after': '600' },
  }));
  const run = orders.updateOrders(items(['a', 'b', 'c', 'a']), { concurrency: 3 });
  const next = run[Symbol.asyncIterator]().next();
  await sleep(1_000);
  const { results, unsent } = await run.stop();
  await next;
  expect([results, unsent.map(({ index }) => index)]).toEqual([[], [0, 1, 2]]);
  expect(clock.now()).toBeLessThan(2_000);
});

const never = new Promise<never>(() => {});
/** What keeps the items of a run from leaving, by options of the client and of the run. */
const waits: readonly (readonly [string, Partial<OrdersClientOptions>, UpdateOrdersOptions])[] = [
  ['one of its connections', { maxConnections: 1 }, {}],
  ['a slot of the rate limit', { rateLimit: { requestsPerSecond: 0.001 } }, {}],
  ['beforeAttempt', {}, { beforeAttempt: () => never }],
  ['credentials', { credentials: () => never }, {}],
];

test.each(waits)('stop and close send no item that waits for %s', async (_wait, own, options) => {
  for (const end of ['stop', 'close'] as const) {
    await using server = await startRawServer(() => {});
    const key = own.credentials ? {} : { apiKey };
    const orders = createOrdersClient({ baseUrl: server.url, ...key, ...own });
    // It has the only connection and the only slot, and no response.
    const other = orders.safeUpdateOrder('order_other', buildOrderUpdate(), { credentials: basic(apiKey) });
    while (server.requests.length === 0) await turn();
    const run = orders.updateOrders(items(['a', 'b', 'c', 'd']), { concurrency: 4, ...options });
    const taken = collect(run);
    for (let turns = 0; turns < 20; turns++) await turn();
    if (end === 'stop') {
      const { results, unsent } = await run.stop();
      expect([results, unsent.map(({ index }) => index)]).toEqual([[], [0, 1, 2, 3]]);
    } else void orders.close();
    expect((await taken).map(({ outcome }) => outcome)).toEqual(
      end === 'stop' ? [] : Array(4).fill('not_sent'),
    );
    expect(server.requests).toHaveLength(1);
    await orders.destroy();
    expect((await other).outcome).toBe('unknown');
  }
});

test('stop ends an update that waits behind another call of its order, and one that is connecting', async () => {
  await using backlog = await startFullBacklog();
  const orders = createOrdersClient({ baseUrl: backlog.url, apiKey, timeouts: { connect: 600_000 } });
  const opened = published('net.client.socket');
  const other = orders.safeUpdateOrder('a', buildOrderUpdate());
  const run = orders.updateOrders(items(['a', 'b']));
  const next = run[Symbol.asyncIterator]().next();
  await opened;
  await turn();
  const { results, unsent } = await run.stop();
  expect([results, unsent.map(({ index }) => index)]).toEqual([[], [0, 1]]);
  await next;
  await orders.destroy();
  expect((await other).outcome).toBe('not_sent');
});

test('stop called by a hook sends nothing, also right before the first byte', async () => {
  for (const hook of ['beforeAttempt', 'beforeSend'] as const) {
    await using server = await startRawServer(() => {});
    await using orders = createOrdersClient({ baseUrl: server.url, apiKey });
    const stopping = Promise.withResolvers<UnfinishedItems<unknown>>();
    const run = orders.updateOrders(items(['a']), { [hook]: () => stopping.resolve(run.stop()) });
    void run[Symbol.asyncIterator]().next();
    const { results, unsent } = await stopping.promise;
    expect([results, unsent.map(({ index }) => index)]).toEqual([[], [0]]);
    expect(server.requests).toEqual([]);
  }
});

test('after stop nothing leaves, only responses are waited for, and each item is a true result or unsent', async () => {
  const scenario = fc.record({
    stopAt: fc.nat({ max: 3_000 }),
    hookMs: fc.constantFrom(0, 0, 200, 2_000),
    credentialsMs: fc.constantFrom(0, 0, 200, 2_000),
    latencyMs: fc.constantFrom(0, 100, 900),
    requestsPerSecond: fc.constantFrom(2, 1_000),
    ordering: fc.constantFrom('per-order' as const, 'none' as const),
    resendUnknown: fc.boolean(),
    maxAttempts: fc.constantFrom(undefined, 5),
    others: fc.integer({ min: 0, max: 3 }),
    statuses: fc.infiniteStream(fc.constantFrom(200, 200, 429, 503)),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { hookMs, credentialsMs, latencyMs, requestsPerSecond, ordering, statuses } = given;
      const responses = new Map<string, number[]>();
      let lastResponseAt = 0;
      const { orders, departures, clock, sleep } = createVirtualClient(
        { rateLimit: { requestsPerSecond }, ordering },
        ({ at }, { body = '' }) => {
          const status: number = statuses.next().value;
          const row = JSON.parse(body).order_id;
          responses.set(row, [...(responses.get(row) ?? []), status]);
          if (row !== 'other') lastResponseAt = Math.max(lastResponseAt, at + latencyMs);
          return { latencyMs, status, headers: status === 429 ? { 'retry-after': '1' } : {} };
        },
      );
      const others = Array.from({ length: given.others }, () =>
        orders.safeUpdateOrder('a', buildOrderUpdate({ order_id: 'other' })),
      );
      const run = orders.updateOrders(items(['a', 'b', 'c', 'a', 'b', 'd', 'e', 'f']), {
        concurrency: 4,
        retry: { resendUnknown: given.resendUnknown, maxAttempts: given.maxAttempts },
        beforeAttempt: () => sleep(hookMs),
        async credentials() {
          await sleep(credentialsMs);
          return basic(apiKey);
        },
      });
      const taking = collect(run);
      await sleep(given.stopAt);
      const stoppedAt = clock.now();
      const left = departures.length - (responses.get('other')?.length ?? 0);
      const { results, unsent } = await run.stop();
      expect(clock.now()).toBeLessThanOrEqual(Math.max(stoppedAt, lastResponseAt));
      const all = [...(await taking), ...results];
      await Promise.all(others);
      await sleep(100_000);
      expect(departures.length - (responses.get('other')?.length ?? 0)).toBe(left);
      for (const { index, outcome } of all) {
        const of = responses.get(String(index)) ?? [];
        expect(outcome).toBe(of.includes(200) ? 'applied' : of.includes(503) ? 'unknown' : 'rejected');
      }
      for (const { index } of unsent)
        expect(responses.get(String(index))?.every((status) => status === 429)).not.toBe(false);
      const indexes = [...all, ...unsent].map(({ index }) => index).toSorted((a, b) => a - b);
      expect(indexes).toEqual(indexes.map((_, index) => index));
      for (const row of responses.keys()) if (row !== 'other') expect(indexes).toContain(Number(row));
    }),
    { numRuns: inFull ? 1_000 : 100 },
  );
});

test('what the source throws after the loop was left early is in the errors of stop', async () => {
  await using service = await startMockOrderService({ orders: ['a'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const failure = new Error('the file is gone');
  const failing = async function* () {
    try {
      yield* items(['a', 'a', 'a']);
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: the source fails when it is closed
      throw failure;
    }
  };
  const run = orders.updateOrders(failing());
  for await (const _ of run) break;
  await turn();
  expect((await run.stop()).errors).toEqual([failure]);
});

test('a run leaves no listener on the signal, however it ends', async () => {
  await using service = await startMockOrderService({ orders: ['a'] });
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const { signal } = new AbortController();
  await collect(orders.updateOrders(items(['a', 'a']), { signal }));
  const left = orders.updateOrders(items(['a', 'a']), { signal });
  for await (const _ of left) break;
  await left.stop();
  const stopped = orders.updateOrders(items(['a', 'a']), { signal });
  void stopped[Symbol.asyncIterator]().next();
  await stopped.stop();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
