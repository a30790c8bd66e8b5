import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { explain, OrderUpdate } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';
import { anyValue } from './any-value.ts';
import { invalidBodies, validBodies } from './bodies.ts';
import { explanationsOf } from './problems.ts';

const runs = { numRuns: inFull ? 400 : 150 };

/** The fields of our bodies, nested ones included, out of which random bodies are made that come near to real ones. */
function fieldsOf(value: unknown): [name: string, value: unknown][] {
  if (value !== Object(value)) return [];
  const entries = Object.entries(value as object);
  const own = Array.isArray(value) ? [] : entries.filter(([name]) => name !== '__proto__');
  return [...own, ...entries.flatMap(([, inner]) => fieldsOf(inner))];
}

const good = fieldsOf(validBodies.map(({ body }) => body));
const bad = fieldsOf(invalidBodies.map(({ body }) => body));
const names = [...new Set([...good, ...bad].map(([name]) => name))];
const fields = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...good) },
      { weight: 1, arbitrary: fc.constantFrom(...bad) },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 })) },
    ),
    { maxLength: 5 },
  )
  .map((entries): Record<string, unknown> => Object.fromEntries(entries));
const bodies = fc
  .tuple(fields, fields, fields, fc.array(fields, { maxLength: 3 }))
  .map(([top, cart, hooks, items]) => ({ hooks, cart: { items, ...cart }, ...top }));

const hostile = anyValue(names);

test('what passes has the same JSON text as what was given', () => {
  const json = fc
    .jsonValue({ maxDepth: 4 })
    .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
  const unknown = fc.dictionary(
    fc.string().map((key) => `x ${key}`),
    json,
  );
  fc.assert(
    fc.property(unknown, json, (fields, extra) => {
      const body = {
        ...fields,
        cart: { 'x y': extra, items: [{ 'x z': extra }] },
        shipping_address: { extra },
      };
      expect(JSON.stringify(OrderUpdate.parse(body))).toBe(JSON.stringify(body));
    }),
    runs,
  );
});

test('a body passes or has issues with hints, whatever its values are', () => {
  const shapes = fc.oneof(
    hostile,
    hostile.map((cart) => ({ cart })),
    fc.tuple(hostile, hostile).map(([item, order_id]) => ({ cart: { items: [item] }, order_id })),
    hostile.map((unknown) => ({ cart: {}, unknown, hooks: unknown })),
  );
  fc.assert(
    fc.property(shapes, (body) => {
      const { data, error } = OrderUpdate.safeParse(body);
      if (error === undefined) {
        expect(JSON.stringify(data)).toBe(JSON.stringify(body));
      } else {
        const issues = explain(error);
        expect(issues.length).toBeGreaterThan(0);
        for (const { code, message, hint } of issues) {
          expect(code).toMatch(/^[a-z_]+$/);
          expect(message).not.toBe('');
          expect(hint).toMatch(/[.?]$/);
        }
      }
    }),
    runs,
  );
});

test('JSON Schema accepts and refuses what zod does, misspellings and a field named __proto__ apart', () => {
  const validate = new Ajv2020({ strict: true }).compile(toJsonSchema(OrderUpdate));
  let accepted = 0;
  fc.assert(
    fc.property(bodies, (body) => {
      const issues = explanationsOf(OrderUpdate, body);
      const others = issues.filter(({ code }) => code !== 'misspelled' && code !== 'not_serializable');
      expect(validate(body)).toBe(others.length === 0);
      if (others.length === 0) accepted++;
    }),
    runs,
  );
  expect(accepted).toBeGreaterThan(20);
});

test('no message and no hint holds more than 40 characters of a value', () => {
  const mark = '🎁';
  const marks = fc.nat({ max: 400 }).map((length) => mark.repeat(length));
  const marked = fc.oneof(
    marks,
    marks.map((text) => `https://shop.example/${text} `),
    marks.map((text) => ({ [text]: NaN, deep: [text, 5n] })),
    marks.map((text) => Object.create({ constructor: { name: text } })),
    marks.map((text) => Symbol(text)),
  );
  const update = fc.dictionary(fc.constantFrom(...names), marked).map((body) => ({
    ...body,
    cart: { items: [body] },
    hooks: body,
  }));
  fc.assert(
    fc.property(update, (body) => {
      for (const { message, hint = '' } of explanationsOf(OrderUpdate, body)) {
        expect(message.split(mark).length - 1).toBeLessThanOrEqual(40);
        expect(hint.split(mark).length - 1).toBeLessThanOrEqual(40);
      }
    }),
    runs,
  );
});
