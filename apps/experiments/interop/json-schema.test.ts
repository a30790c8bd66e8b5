import { Validator as CfworkerValidator } from '@cfworker/json-schema';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { BASIC } from '@hyperjump/json-schema/experimental';
import { defineOrderUpdate } from '@orders/schema';
import { toJsonSchema } from '@orders/schema/json-schema';
import orderUpdateSchema from '@orders/schema/order-update.schema.json' with { type: 'json' };
import { Validator as JsonschemaValidator } from 'jsonschema';
import { describe, expect, test } from 'vitest';
import { definition } from '../../../packages/schema/test/bodies.ts';
import { bodies, bodiesAsDefined, type JsonBody, placesFound, sampleMistakes } from './bodies.ts';

/** Validates a value and returns where it is invalid. */
type Check = (value: unknown) => { readonly valid: boolean; readonly places: readonly string[] };

/** Validators beside ajv, which the tests of the schema use. */
const validators: Readonly<Record<string, (schema: never) => Check | Promise<Check>>> = {
  '@cfworker/json-schema'(schema) {
    const validator = new CfworkerValidator(schema, '2020-12', false);
    // It also reports each level above the mistake.
    const levels = ['properties', 'items'];
    return (value) => {
      const { valid, errors } = validator.validate(value);
      const mistakes = errors.filter(({ keyword }) => !levels.includes(keyword));
      return { valid, places: mistakes.map(({ instanceLocation }) => readPointer(instanceLocation)) };
    };
  },
  async '@hyperjump/json-schema'(schema) {
    const uri = 'https://orders.example/order-update';
    registerSchema(schema, uri);
    const check = await validate(uri);
    unregisterSchema(uri);
    return (value) => {
      const output = check(value as Parameters<typeof check>[0], BASIC);
      const { errors = [] } = output.valid ? {} : output;
      return {
        valid: output.valid,
        places: errors.map(({ instanceLocation }) => readPointer(instanceLocation)),
      };
    };
  },
  jsonschema(schema) {
    const validator = new JsonschemaValidator();
    return (value) => {
      const { valid, errors } = validator.validate(value, schema);
      return { valid, places: errors.map(({ path }) => path.join('/')) };
    };
  },
};

const schemas: readonly (readonly [string, object, readonly JsonBody[]])[] = [
  ['order-update.schema.json', orderUpdateSchema, [...bodies, ...sampleMistakes(300)]],
  ['the JSON Schema of a defineOrderUpdate', toJsonSchema(defineOrderUpdate(definition)), bodiesAsDefined],
];

describe.each(Object.entries(validators))('%s', (name, load) => {
  test.each(schemas)(
    'refuses by %s what the schema refuses, at the same places',
    async (_, schema, given) => {
      const check = await load(schema as never);
      // @cfworker/json-schema throws a URIError at a name that is half a surrogate pair.
      const usable = given.filter(
        (each) => name !== '@cfworker/json-schema' || each.name !== 'lone surrogates',
      );
      const results = usable.map((each) => {
        const { valid, places } = check(JSON.parse(each.json));
        return { name: each.name, valid, places: placesFound(places, each) };
      });
      expect(results).toEqual(
        usable.map(({ name, places }) => ({ name, valid: places.length === 0, places })),
      );
    },
  );
});

function readPointer(pointer: string): string {
  const segments = decodeURIComponent(pointer.replace(/^#/, '')).split('/').slice(1);
  return segments.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~')).join('/');
}
