import { isDeepStrictEqual } from 'node:util';
import { defineOrderUpdate, explain, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { awkward, named, own, ownValues } from '../../test/definitions.ts';
import { send } from '../../test/send.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';
import { type InvalidOrderUpdate, invalidOrderUpdates, REASONS } from './invalid-order-updates.ts';

const topNames = [
  'cart order_id purchase_currency require_shipping express_shipping shipping_address hooks',
  'user_session_id user_identifier meta_1 meta_2 total vat qr_session',
].flatMap((names) => names.split(' '));
const itemNames = ['type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount'];
const hookNames = ['user_return_url_on_success', 'user_return_url_on_fail', 'terms_url', 'webhook_url'];

const invalid = fc.sample(invalidOrderUpdates({ definition: named }), {
  numRuns: inFull ? 3_000 : 2_000,
  seed: 1,
});

test.each<[string, OrderUpdateSchema, fc.Arbitrary<InvalidOrderUpdate>]>([
  ['OrderUpdate', OrderUpdate, invalidOrderUpdates()],
  ['a definition', defineOrderUpdate(named), invalidOrderUpdates({ definition: named })],
  [
    'a definition with awkward names',
    defineOrderUpdate(awkward),
    invalidOrderUpdates({ definition: awkward }),
  ],
  [
    'a definition with own fields',
    defineOrderUpdate(own),
    invalidOrderUpdates({ definition: own, values: ownValues }),
  ],
])('%s rejects every body with exactly its path and its code, compiled too', (_, schema, bodies) => {
  const compiled = compileOrderUpdate(schema);
  fc.assert(
    fc.property(bodies, ({ body, path, code }) => {
      expect(issuesOf(schema, body)).toEqual([{ path, code }]);
      expect(issuesOf(compiled, body)).toEqual([{ path, code }]);
    }),
    { numRuns: inFull ? 2_000 : 120 },
  );
});

test('a service responds to each that JSON carries with 422 and its issue', async () => {
  await using service = await startMockOrderService({ schema: defineOrderUpdate(named) });
  const bodies = invalidOrderUpdates({ json: true, definition: named });
  await fc.assert(
    fc.asyncProperty(bodies, async ({ body, path, code }) => {
      const { status, json } = await send(service, { body: JSON.stringify(body) });
      expect([status, json]).toMatchObject([422, { error: { issues: [{ path, code }] } }]);
    }),
    { numRuns: inFull ? 200 : 50 },
  );
  expect(service.ledger).toEqual([]);
});

test('every reason occurs with its code, and json marks what JSON text carries', () => {
  const isCarried = (body: unknown) => {
    try {
      return isDeepStrictEqual(JSON.parse(JSON.stringify(body)), body);
    } catch {
      return false;
    }
  };
  for (const [code, reasons] of Object.entries(REASONS)) {
    for (const reason of reasons) {
      const found = invalid.filter((one) => one.reason === reason);
      const isBeyond = ['misspelled', 'not_serializable'].includes(code);
      expect([reason, found.length > 2]).toEqual([reason, true]);
      for (const one of found.slice(0, 20)) {
        expect(one).toMatchObject({ code, json: isCarried(one.body), beyondJsonSchema: isBeyond });
      }
    }
  }
});

test('with json, exactly the reasons occur that JSON text carries', () => {
  const reasonsOf = (some: readonly InvalidOrderUpdate[]) => new Set(some.map(({ reason }) => reason));
  const carried = fc.sample(invalidOrderUpdates({ json: true, definition: named }), {
    numRuns: 700,
    seed: 1,
  });
  expect(reasonsOf(carried)).toEqual(reasonsOf(invalid.filter(({ json }) => json)));
});

test('every field, every line and the whole body are wrong in some', () => {
  const places = new Set(invalid.map(({ path }) => path.replaceAll(/\[\d+\]/g, '[]')));
  const paths = [
    '',
    ...topNames,
    ...['items', 'billing_address', 'cart.items', 'cart.items[]'],
    ...['__proto__', 'cart.__proto__', 'cart.items[].__proto__', 'hooks.__proto__'],
    ...itemNames.map((name) => `cart.items[].${name}`),
    ...hookNames.flatMap((name) => [name, `hooks.${name}`]),
  ];
  for (const path of paths) expect([path, places.has(path)]).toEqual([path, true]);
  const indexes = new Set(invalid.flatMap(({ path }) => /^cart\.items\[(\d+)\]/.exec(path)?.[1] ?? []));
  expect(indexes).toEqual(new Set(['0', '1', '2', '3', '4']));
});

test.each<[string, InvalidOrderUpdate['reason'], RegExp, unknown]>([
  ['null for a line', 'null', /^cart\.items\[\d+\]$/, null],
  ['256 UTF-16 units', 'too_long', /^(order_id|meta_1)$/, (text: unknown) => String(text).length === 256],
  ['256 characters of two units each', 'too_long', /./, (text: unknown) => String(text).length === 512],
  ['a total above int32', 'beyond_int32', /^total$/, 2 ** 31],
  ['a VAT amount below int32', 'beyond_int32', /^vat$/, -(2 ** 31) - 1],
  ['an amount that is not exact', 'beyond_safe_integer', /unit_price$/, 2 ** 53],
  ['a currency in lower case', 'currency_in_wrong_case', /^purchase_currency$/, 'nok'],
  ['a currency with a space', 'currency_with_whitespace', /^purchase_currency$/, ' EUR'],
])('%s occurs', (_, reason, path, value) => {
  const found = invalid.filter((one) => one.reason === reason && path.test(one.path)).map(valueAt);
  expect(found.some((one) => (typeof value === 'function' ? value(one) : Object.is(one, value)))).toBe(true);
});

test('names are misspelled in every object, by case and by an edit', () => {
  const pathsOf = (reason: string) => invalid.filter((one) => one.reason === reason).map(({ path }) => path);
  const levels = [/^\w+$/, /^cart\.items\[\d\]\.\w+$/, /^hooks\.\w+$/];
  const byCase = pathsOf('misspelled_by_case');
  for (const kind of [...levels, /^cart\.\w+$/, /[A-Z]$/, /[a-z][A-Z]/, /^_|\._/]) {
    expect([kind, byCase.some((path) => kind.test(path))]).toEqual([kind, true]);
  }
  const byEdit = pathsOf('misspelled_by_edit');
  for (const kind of levels) expect([kind, byEdit.some((path) => kind.test(path))]).toEqual([kind, true]);
});

test('lines are wrong even with no line allowed, and other options are checked', () => {
  const bodies = fc.sample(invalidOrderUpdates({ maxItems: 0 }), { numRuns: 200, seed: 1 });
  expect(bodies.some(({ path }) => path.startsWith('cart.items[0]'))).toBe(true);
  expect(() => invalidOrderUpdates({ maxItems: -1 })).toThrow(TypeError);
  expect(() => invalidOrderUpdates({ jsno: true } as object)).toThrow('unknown option "jsno"');
});

test('a body shrinks to the smallest with its one issue, and never to one with another', () => {
  const smallest = (reason: string) =>
    fc.check(
      fc.property(invalidOrderUpdates(), (one) => one.reason !== reason),
      { numRuns: 5_000, seed: 4 },
    ).counterexample?.[0]?.body;
  expect(smallest('missing')).toEqual({});
  expect(smallest('billing_address')).toEqual({ cart: {}, billing_address: null });
  expect(JSON.stringify(smallest('number_in_quotes')).length).toBeLessThan(50);
  expect(Object.keys(smallest('fraction') ?? {})).toEqual(['cart']);
  expect(JSON.stringify(smallest('too_long')).length).toBeLessThan(300);
  const wrong: unknown[] = [];
  for (let seed = 0; seed < (inFull ? 4 : 2); seed++) {
    const isSmall = fc.property(invalidOrderUpdates(), ({ body, path, code, reason }) => {
      if (!isDeepStrictEqual(issuesOf(OrderUpdate, body), [{ path, code }])) wrong.push([reason, path]);
      return reason === 'too_many_values' || fc.stringify(body).length < 100;
    });
    fc.check(isSmall, { seed });
  }
  expect(wrong).toEqual([]);
});

function issuesOf(schema: OrderUpdateSchema, body: unknown): { path: string; code: string }[] {
  const { error } = schema.safeParse(body);
  return error === undefined ? [] : explain(error).map(({ path, code }) => ({ path, code }));
}

function valueAt({ body, path }: InvalidOrderUpdate): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], body);
}
