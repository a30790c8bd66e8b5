import { isDeepStrictEqual } from 'node:util';
import { defineOrderUpdate, explain, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { awkward, named, own, ownValues } from '../../test/definitions.ts';
import { inFull } from '../../test/in-full.ts';
import { send } from '../../test/send.ts';
import { startOrderService } from '../service/order-service.ts';
import { type InvalidOrderUpdate, invalidOrderUpdates } from './invalid-order-updates.ts';
import { REASONS } from './reasons.ts';

const runs = { numRuns: inFull ? 500 : 200 };
const many = { numRuns: 1_000, seed: 1 };

/** Made once, since many tests look at them: what must not be rare is looked for among the first. */
const more = fc.sample(invalidOrderUpdates({ definition: named }), { numRuns: 3_000, seed: 1 });
const invalid = more.slice(0, 2_000);

const schemas: readonly [string, OrderUpdateSchema, fc.Arbitrary<InvalidOrderUpdate>][] = [
  ['OrderUpdate', OrderUpdate, invalidOrderUpdates()],
  ['a definition', defineOrderUpdate(named), invalidOrderUpdates({ definition: named })],
  ['a definition of awkward names', defineOrderUpdate(awkward), invalidOrderUpdates({ definition: awkward })],
  [
    'a definition of own fields',
    defineOrderUpdate(own),
    invalidOrderUpdates({ definition: own, values: ownValues }),
  ],
];

test.each(schemas)(
  '%s refuses every body with exactly its path and its code, compiled too',
  (_, schema, bodies) => {
    const compiled = compileOrderUpdate(schema);
    fc.assert(
      fc.property(bodies, ({ body, path, code }) => {
        expect(problemsOf(schema, body)).toEqual([{ path, code }]);
        expect(problemsOf(compiled, body)).toEqual([{ path, code }]);
      }),
      runs,
    );
  },
);

test('a definition refuses each of thousands with exactly its path and its code', () => {
  const schema = defineOrderUpdate(named);
  const wrong = more.filter(
    ({ body, path, code }) => !isDeepStrictEqual(problemsOf(schema, body), [{ path, code }]),
  );
  expect(wrong.map(({ reason, path }) => [reason, path])).toEqual([]);
});

test.each([
  ['as the document has it', {}, OrderUpdate],
  ['of a definition', named, defineOrderUpdate(named)],
])(
  'a service %s answers each that JSON carries with 422 and its path',
  async (_, definition, schema: OrderUpdateSchema) => {
    await using service = await startOrderService({ schema });
    await fc.assert(
      fc.asyncProperty(invalidOrderUpdates({ json: true, definition }), async ({ body, path, code }) => {
        const { status, json } = await send(service, { body: JSON.stringify(body) });
        expect([status, json]).toEqual([
          422,
          {
            error: expect.objectContaining({
              code: 'body_refused',
              issues: [expect.objectContaining({ path, code })],
            }),
          },
        ]);
      }),
      { numRuns: inFull ? 200 : 100 },
    );
    expect(service.ledger).toEqual([]);
  },
);

test('JSON text carries what is said to be JSON, and nothing else', () => {
  fc.assert(
    fc.property(invalidOrderUpdates(), ({ body, json }) => {
      expect(isCarried(body)).toBe(json);
    }),
    runs,
  );
});

test('only what JSON text carries occurs where that is asked for', () => {
  const carried = fc.sample(invalidOrderUpdates({ json: true }), many);
  expect(carried.every(({ json }) => json)).toBe(true);
  const reasons = Object.entries(REASONS).filter(([, facts]) => !('json' in facts));
  expect(new Set(carried.map(({ reason }) => reason))).toEqual(
    new Set(reasons.map(([reason]) => reason).filter((reason) => reason !== 'beyond_int32')),
  );
});

test('every reason occurs', () => {
  expect(new Set(invalid.map(({ reason }) => reason))).toEqual(new Set(Object.keys(REASONS)));
});

test('every field, every line and the whole body are what is wrong in some', () => {
  const places = new Set(invalid.map(({ path }) => path.replaceAll(/\[\d+\]/g, '[]')));
  const fields = [
    [
      '',
      'cart',
      'cart.items',
      'cart.items[]',
      'order_id',
      'purchase_currency',
      'require_shipping',
      'express_shipping',
    ],
    [
      'shipping_address',
      'hooks',
      'user_session_id',
      'user_identifier',
      'meta_1',
      'meta_2',
      'total',
      'vat',
      'qr_session',
    ],
    ['type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount'].map(
      (name) => `cart.items[].${name}`,
    ),
    ['user_return_url_on_success', 'user_return_url_on_fail', 'terms_url', 'webhook_url'].flatMap((name) => [
      name,
      `hooks.${name}`,
    ]),
    ['items', 'billing_address', '__proto__', 'cart.__proto__', 'cart.items[].__proto__', 'hooks.__proto__'],
  ];
  for (const path of fields.flat()) expect([path, places.has(path)]).toEqual([path, true]);
  expect(new Set(invalid.flatMap(({ path }) => /\[(\d+)\]/.exec(path)?.[1] ?? []))).toEqual(
    new Set(['0', '1', '2', '3', '4']),
  );
});

test.each([
  ['null for a line', 'null', /^cart\.items\[\d+\]$/, null],
  ['a fraction that float arithmetic leaves', 'fraction', /unit_price$/, 399.7999999999997],
  ['an amount in quotes', 'number_in_quotes', /quantity$/, (value: unknown) => /^-?\d+$/.test(String(value))],
  ['true in quotes', 'boolean_in_quotes', /^require_shipping$/, 'true'],
  ['a numeric sku', 'number_for_text', /sku$/, Number.isInteger],
  ['an order_id of 256 characters', 'too_long', /^order_id$/, 'a'.repeat(256)],
  ['an order_id of 256 emoji', 'too_long', /^order_id$/, '🧡'.repeat(256)],
  ['metadata of 256 characters', 'too_long', /^meta_1$/, '支'.repeat(256)],
  ['a total above int32', 'beyond_int32', /^total$/, 2 ** 31],
  ['a V.A.T. amount below int32', 'beyond_int32', /^vat$/, -(2 ** 31) - 1],
  ['an amount that is not exact', 'beyond_safe_integer', /unit_price$/, 2 ** 53],
  ['a currency in lower case', 'currency_in_other_case', /^purchase_currency$/, 'nok'],
  ['a currency with a blank', 'currency_with_blank', /^purchase_currency$/, ' EUR'],
  ['a currency of ISO 4217 that is not listed', 'currency_not_listed', /^purchase_currency$/, 'USD'],
  ['a path for a URL', 'relative_url', /^hooks\.webhook_url$/, '/done'],
  ['an app for the terms', 'not_web_url', /^hooks\.terms_url$/, 'myapp://terms'],
  ['an address in one line', 'text_for_object', /^shipping_address$/, 'Storgata 1'],
])('%s occurs', (_, reason, path, value) => {
  const found = more.filter((one) => one.reason === reason && path.test(one.path)).map(valueAt);
  expect(found.some((one) => (typeof value === 'function' ? value(one) : Object.is(one, value)))).toBe(true);
});

test('scripts in any case, relative and blank-holding URLs occur in every hook', () => {
  for (const field of ['user_return_url_on_success', 'user_return_url_on_fail', 'terms_url', 'webhook_url']) {
    const reasons = invalid.filter(({ path }) => path === `hooks.${field}`).map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['script_url', 'relative_url', 'blank_in_url']));
  }
  const scripts = invalid.filter(({ reason }) => reason === 'script_url').map((one) => String(valueAt(one)));
  expect(scripts.some((url) => /^[a-z]*[A-Z][a-zA-Z]*:/.test(url))).toBe(true);
  expect(scripts.some((url) => /^data:/i.test(url))).toBe(true);
});

test.each(['misspelled_by_case', 'misspelled_by_edit'])(
  '%s occurs in every object that has such names',
  (reason) => {
    const paths = invalid.filter((one) => one.reason === reason).map(({ path }) => path);
    const parents = [/^\w+$/, /^cart\.items\[\d\]\.\w+$/, /^hooks\.\w+$/];
    if (reason === 'misspelled_by_case') parents.push(/^cart\.\w+$/, /[A-Z]$/, /[a-z][A-Z]/, /^_|\._/);
    for (const kind of parents) expect([kind, paths.some((path) => kind.test(path))]).toEqual([kind, true]);
  },
);

test('lines are wrong even where a cart has none', () => {
  const bodies = fc.sample(invalidOrderUpdates({ maxItems: 0 }), { numRuns: 200, seed: 1 });
  expect(bodies.some(({ path }) => path.startsWith('cart.items[0]'))).toBe(true);
  expect(() => invalidOrderUpdates({ maxItems: -1 })).toThrow(TypeError);
});

test('what JSON Schema cannot tell is marked, and nothing else', () => {
  for (const { code, beyondJsonSchema } of invalid) {
    expect([code, beyondJsonSchema]).toEqual([code, ['misspelled', 'not_serializable'].includes(code)]);
  }
});

test('the one thing shrinks to the smallest body that has it', () => {
  const smallest = (reason: string) =>
    fc.check(
      fc.property(invalidOrderUpdates(), (one) => one.reason !== reason),
      { numRuns: 5_000, seed: 4 },
    ).counterexample?.[0];
  expect(smallest('missing')?.body).toEqual({});
  expect(smallest('billing_address')?.body).toEqual({ cart: {}, billing_address: { street: 'Storgata 1' } });
  expect(Object.keys(smallest('fraction')?.body ?? {})).toEqual(['cart']);
  expect(JSON.stringify(smallest('number_in_quotes')?.body).length).toBeLessThan(60);
});

test('whatever shrinking tries is wrong in exactly its one way', () => {
  const wrong: unknown[] = [];
  for (let seed = 0; seed < 8; seed++) {
    const isTooLarge = fc.property(invalidOrderUpdates(), ({ body, path, code, reason }) => {
      if (!isDeepStrictEqual(problemsOf(OrderUpdate, body), [{ path, code }])) wrong.push([reason, path]);
      return reason === 'too_many_values' || fc.stringify(body).length < 100;
    });
    fc.check(isTooLarge, { seed });
  }
  expect(wrong).toEqual([]);
});

test('bodies are fresh each time, the same for a seed, and printable', () => {
  const bodies = invalidOrderUpdates();
  const print = () => fc.stringify(fc.sample(bodies, { numRuns: 200, seed: 7 }));
  const before = print();
  for (const { body } of fc.sample(bodies, { numRuns: 200, seed: 7 })) spoilDeep(body);
  expect(print()).toBe(before);
  expect(fc.stringify(fc.sample(bodies, { numRuns: 200, seed: 8 }))).not.toBe(before);
});

function problemsOf(schema: OrderUpdateSchema, body: unknown): { path: string; code: string }[] {
  const { error } = schema.safeParse(body);
  return error === undefined ? [] : explain(error).map(({ path, code }) => ({ path, code }));
}

function isCarried(body: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(body)), body);
  } catch {
    return false;
  }
}

function valueAt({ body, path }: InvalidOrderUpdate): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], body);
}

/** Changes every plain object and list that it can reach without running code. */
function spoilDeep(value: unknown): void {
  if (Array.isArray(value)) {
    if (value.length > 1_000) return;
    value.forEach(spoilDeep);
    value.push('spoiled');
  } else if (typeof value === 'object' && value !== null && !fc.hasToStringMethod(value)) {
    Object.values(value).forEach(spoilDeep);
    Object.assign(value, { spoiled: true });
  }
}
