import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { defineOrderUpdate, OrderUpdate, type OrderUpdateSchema } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';
import { type BodyCase, definedBodies, definition, invalidBodies, validBodies } from './bodies.ts';
import { explanationsOf, problemsOf } from './problems.ts';

const Defined = defineOrderUpdate(definition);

test.each(validBodies)('passes, kept to the value and the order of fields: $name', ({ body }) => {
  const given = JSON.stringify(body);
  const parsed = OrderUpdate.parse(body);
  expect(JSON.stringify(parsed)).toBe(given);
  // `toStrictEqual` would ask the own field `constructor` for its class.
  expect(isDeepStrictEqual(parsed, body)).toBe(true);
});

test.each(invalidBodies)('refuses with path, code and hint: $name', ({ body, problems }) => {
  expect(problemsOf(OrderUpdate, body)).toEqual(problems);
});

test.each(definedBodies)('a defined order update reports each problem: $name', ({ body, problems }) => {
  expect(problemsOf(Defined, body)).toEqual(problems);
});

test('every message and hint of a refused body is a sentence', () => {
  for (const { body } of invalidBodies) {
    for (const { message, hint } of explanationsOf(OrderUpdate, body)) {
      expect(message).toMatch(/^[A-Z].{5,}/s);
      expect(hint).toMatch(/^[A-Z].{5,}[.?]$/s);
    }
  }
});

agrees('OrderUpdate', OrderUpdate, [...validBodies, ...invalidBodies]);
agrees('a defined order update', Defined, [
  ...validBodies.filter(({ name }) => !name.includes('example')),
  ...definedBodies,
]);

function agrees(name: string, schema: OrderUpdateSchema, cases: readonly BodyCase[]): void {
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(toJsonSchema(schema));

  test.each(cases)(`the JSON Schema of ${name} finds the same paths: $name`, (row) => {
    validate(JSON.parse(JSON.stringify(row.body)));
    const expected = row.beyondJsonSchema ? [] : row.problems.map(([path]) => path);
    // Ajv adds what `not` found of a name, without the name.
    const errors = validate.errors?.filter(({ schemaPath }) => schemaPath !== '#/propertyNames/not');
    expect(new Set(errors?.map(pathOf))).toEqual(new Set(expected));
  });
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const path = instancePath
    .slice(1)
    .split('/')
    .join('.')
    .replaceAll(/\.(\d+)/g, '[$1]');
  return params['missingProperty'] ?? params['propertyName'] ?? path;
}
