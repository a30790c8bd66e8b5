// First, as zod asks: schemas made after it are compiled on their first parse.
import 'zod/compile';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { compileOrderUpdate } from '../src/compile.ts';
import { Cart, CartItem, defineOrderUpdate, explain, Hooks, OrderUpdate } from '../src/index.ts';
import { type BodyCase, definedBodies, definition, invalidBodies, validBodies } from './bodies.ts';

const Defined = defineOrderUpdate(definition);

/** What came of a body: the JSON text of what passed, or every explanation. */
function resultOf(schema: z.ZodMiniType, body: unknown): unknown {
  const { data, error } = schema.safeParse(body);
  return error ? explain(error) : JSON.stringify(data);
}

function expectedOf({ body, problems }: BodyCase): unknown {
  return problems.length > 0
    ? problems.map(([path, code, hint]) => expect.objectContaining({ path, code, hint }))
    : JSON.stringify(body);
}

test('an order update copies and hints as ever where all schemas are compiled', () => {
  for (const row of [...validBodies, ...invalidBodies]) {
    expect(resultOf(OrderUpdate, row.body), row.name).toEqual(expectedOf(row));
  }
});

test('a compiled schema around an order update copies and hints as ever', () => {
  const Form = z.compile(z.object({ order: OrderUpdate, by: z.string() }));
  for (const row of [...validBodies, ...invalidBodies]) {
    const outer = { by: 'x', order: row.body };
    const inside = row.problems.map(([path, code, hint]) =>
      expect.objectContaining({ path: path ? `order.${path}` : 'order', code, hint }),
    );
    expect(resultOf(Form, outer), row.name).toEqual(
      inside.length > 0 ? inside : JSON.stringify({ order: row.body, by: 'x' }),
    );
  }
});

test('a compiled schema reads each property once more at most, and keeps a copy', () => {
  const body = { cart: { items: [] } };
  const parsed = z.compile(OrderUpdate).parse(body);
  expect(parsed).toStrictEqual(body);
  expect(parsed).not.toBe(body);
  expect(parsed.cart).not.toBe(body.cart);
});

test('the parts hint when compiled', () => {
  expect(resultOf(z.compile(CartItem), { unitPrice: 1 })).toMatchObject([
    { hint: 'Did you mean unit_price?' },
  ]);
  expect(resultOf(z.compile(Cart), { items: NaN })).toMatchObject([
    { path: 'items', code: 'not_serializable' },
  ]);
  expect(resultOf(z.compile(Hooks), { terms_url: '' })).toMatchObject([{ code: 'invalid_url' }]);
});

test('z.validate agrees with parse', () => {
  for (const { body, problems } of [...validBodies, ...invalidBodies]) {
    expect(z.validate(OrderUpdate, body)).toBe(problems.length === 0);
  }
});

test('compileOrderUpdate evaluates code, and gives a schema that works where that is not allowed', () => {
  const evaluate = vi.spyOn(globalThis, 'Function');
  try {
    compileOrderUpdate(Defined);
    expect(evaluate).toHaveBeenCalled();
    evaluate.mockImplementation(function refuse() {
      throw new EvalError('Refused by the content policy');
    });
    const Update = compileOrderUpdate(Defined);
    for (const row of definedBodies) expect(resultOf(Update, row.body), row.name).toEqual(expectedOf(row));
  } finally {
    evaluate.mockRestore();
  }
});

test('compileOrderUpdate keeps the checks on top of a schema, and takes more', () => {
  const hasLines = z.refine<OrderUpdate>(({ cart }) => (cart.items ?? []).length > 0, 'An empty cart');
  for (const Update of [
    compileOrderUpdate(OrderUpdate.check(hasLines)),
    compileOrderUpdate(OrderUpdate).check(hasLines),
  ]) {
    expect(Update.safeParse({ cart: {} }).error?.issues).toMatchObject([{ message: 'An empty cart' }]);
    expect(Update.safeParse({ cart: { items: [{}] } }).success).toBe(true);
  }
});

test('compileOrderUpdate takes a schema of your own making too', () => {
  const Own = z.object({ cart: z.object({ items: z.optional(z.array(z.object({ sku: z.string() }))) }) });
  const Compiled = compileOrderUpdate(Own);
  expect(Compiled.parse({ cart: { items: [{ sku: 'a' }] } })).toStrictEqual({
    cart: { items: [{ sku: 'a' }] },
  });
  expect(Compiled.safeParse({ cart: { items: [{ sku: 1 }] } }).success).toBe(false);
});
