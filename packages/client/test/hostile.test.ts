import { isDeepStrictEqual } from 'node:util';
import type { OrderUpdate } from '@orders/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrdersClient, ValidationError } from '../src/index.ts';
import { inFull } from './in-full.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const bodies = inFull ? 100_000 : 2_000;
const batch = 500;

const hostile = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
  maxDepth: 3,
  maxKeys: 4,
  key: fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      'toJSON',
      'hasOwnProperty',
      'cart',
      'items',
      'valueOf',
      '0',
      '',
    ),
  ),
});

const strange = fc.constantFrom<() => unknown>(
  () =>
    Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    }),
  () => ({
    get counter() {
      return Math.random();
    },
  }),
  () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = [cycle];
    return cycle;
  },
  () => '\ud800 \udfff lone',
  () => -0,
  () => Number.NaN,
  () =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new TypeError('trap');
        },
      },
    ),
  () => Proxy.revocable({}, {}),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => ({ toJSON: () => 'something else' }),
  () => Object.create({ inherited: 1 }),
  () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}'),
  () => new Array(3),
  () => Object.assign([1], { extra: 1 }),
  () => 'x\r\ny: z',
  () => Symbol('s'),
  () => () => {},
  () => new Error('e'),
  () => Object.freeze({ a: Object.freeze([1]) }),
  () => 1e308 * 10,
  () => Number.MAX_SAFE_INTEGER + 2,
);

type Make = () => unknown;

/** What is generated makes its value later: fast-check itself cannot look at a revoked proxy. */
function make(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Make> {
  return arbitrary.map((value) => () => value);
}

function makeRecord(
  fields: Record<string, fc.Arbitrary<Make>>,
  requiredKeys: string[] = [],
): fc.Arbitrary<Make> {
  return fc
    .record(fields, { requiredKeys })
    .map(
      (makes) => () =>
        Object.fromEntries(Object.entries(makes).map(([name, makeField]) => [name, makeField?.()])),
    );
}

const value = fc.oneof({ weight: 4, arbitrary: make(hostile) }, { weight: 1, arbitrary: strange });
const line = makeRecord({ sku: value, quantity: value, unit_price: fc.oneof(make(fc.integer()), value) });
const lines = fc.array(line, { maxLength: 3 }).map((makes) => () => makes.map((makeLine) => makeLine()));
const update = fc.oneof(
  value,
  makeRecord({ cart: value, order_id: value, note: value }, ['cart']),
  makeRecord({ cart: makeRecord({ items: lines, more: value }), note: value }, ['cart']),
  makeRecord(
    {
      cart: make(fc.constant({})),
      note: make(fc.jsonValue()),
      order_id: make(fc.string({ unit: 'binary' })),
    },
    ['cart'],
  ),
);
const token = fc.oneof(
  make(fc.string({ minLength: 1, maxLength: 12 })),
  make(fc.string({ unit: 'binary', maxLength: 12 })),
  make(
    fc.constantFrom(
      '',
      '.',
      '..',
      '../..',
      '%2e%2e',
      'a/b?c#d%2f',
      'a\r\nx: y',
      '\0',
      '\ud83d',
      ' ',
      '//',
      'é',
      '{}',
    ),
  ),
  make(hostile),
);

test(`${bodies} hostile bodies and tokens are sent as they are or refused, and never anything else`, {
  timeout: 300_000,
}, async () => {
  const received = new Map<string, { path: string; body: string }>();
  await using server = await startRawServer((socket, request) => {
    const [head = '', body = ''] = Buffer.from(request, 'latin1')
      .toString()
      .split(/\r\n\r\n(.*)/s);
    const id = /x-case: (\d+)/.exec(head)?.[1] ?? '';
    received.set(id, { path: /^PATCH (\S+) HTTP/.exec(head)?.[1] ?? '', body });
    socket.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey: 'swordfish-swordfish' });
  let count = 0;
  let sent = 0;

  async function check(makes: { update: Make; token: Make }): Promise<void> {
    const given = { update: makes.update(), token: makes.token() };
    const id = String(count++);
    const before = jsonOf(given.update);
    const result = await orders.safeUpdateOrder(given.token as string, given.update as OrderUpdate, {
      headers: { 'x-case': id },
    });
    const arrived = received.get(id);
    received.delete(id);
    if (!result.ok) {
      expect(result.error).toBeInstanceOf(ValidationError);
      expect(arrived).toBeUndefined();
      return;
    }
    sent++;
    expect(arrived?.path).toBe(`/v2/orders/${encodeURIComponent(String(given.token))}`);
    // A getter that changes its mind has no value to compare with.
    if (before !== undefined) expect(isDeepStrictEqual(JSON.parse(arrived?.body ?? ''), before)).toBe(true);
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ update, token }), { minLength: batch, maxLength: batch }),
      async (batchOf) => {
        for (let start = 0; start < batch; start += 50)
          await Promise.all(batchOf.slice(start, start + 50).map(check));
      },
    ),
    { numRuns: bodies / batch, endOnFailure: true },
  );
  expect(count).toBe(bodies);
  expect(sent).toBeGreaterThan(bodies / 50);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** What JSON makes of a value twice over, when it makes the same both times. */
function jsonOf(value: unknown): unknown {
  try {
    const [once, twice] = [JSON.stringify(value), JSON.stringify(value)];
    return once === twice ? JSON.parse(once) : undefined;
  } catch {
    return undefined;
  }
}

test('a string of ten million characters arrives whole', async () => {
  let length = 0;
  await using server = await startRawServer((socket, request) => {
    length = request.length;
    socket.write(httpAnswer(200, {}, '{}'));
  });
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey: 'swordfish-swordfish' });
  await orders.updateOrder('order_1234', Object.assign({ cart: {} }, { note: 'x'.repeat(10_000_000) }));
  expect(length).toBeGreaterThan(10_000_000);
});
