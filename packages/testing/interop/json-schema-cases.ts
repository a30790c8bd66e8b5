import { Validator as CfworkerValidator } from '@cfworker/json-schema';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { BASIC } from '@hyperjump/json-schema/experimental';
import { defineOrderUpdate } from '@orders/schema';
import { toJsonSchema } from '@orders/schema/json-schema';
import { Validator as JsonschemaValidator } from 'jsonschema';
import { definition } from '../../schema/test/bodies.ts';
import { type Case, checkSame } from './case.ts';
import { bodies, bodiesAsDefined, type DocumentedBody, unique } from './documented-bodies.ts';
import { readSchema } from './documents.ts';
import { randomMistakes } from './random-bodies.ts';

/** Judges a value, and gives the places that it finds fault with. */
type Judge = (value: unknown) => { readonly valid: boolean; readonly places: readonly string[] };

interface Peer {
  readonly name: string;
  readonly load: (schema: never) => Promise<Judge>;
  /** Bodies that it cannot be given, by name. */
  readonly cannot?: Readonly<Record<string, string>>;
}

const peers: readonly Peer[] = [
  {
    name: '@cfworker/json-schema',
    async load(schema) {
      const validator = new CfworkerValidator(schema, '2020-12', false);
      // It also tells of every level above the fault.
      const levels = ['properties', 'items'];
      return (value) => {
        const { valid, errors } = validator.validate(value);
        const faults = errors.filter(({ keyword }) => !levels.includes(keyword));
        return { valid, places: faults.map(({ instanceLocation }) => readPointer(instanceLocation)) };
      };
    },
    cannot: { 'lone surrogates': 'throws a URIError at a name that is half a surrogate pair' },
  },
  {
    name: '@hyperjump/json-schema',
    async load(schema) {
      const address = 'https://orders.example/order-update';
      registerSchema(schema, address);
      const look = await validate(address);
      unregisterSchema(address);
      return (value) => {
        const end = look(value as Parameters<typeof look>[0], BASIC);
        const { errors = [] } = end.valid ? {} : end;
        return {
          valid: end.valid,
          places: errors.map(({ instanceLocation }) => readPointer(instanceLocation)),
        };
      };
    },
  },
  {
    name: 'jsonschema',
    async load(schema) {
      const validator = new JsonschemaValidator();
      return (value) => {
        const { valid, errors } = validator.validate(value, schema);
        return { valid, places: errors.map(({ path }) => path.join('/')) };
      };
    },
  },
];

/** JSON Schema validators beside ajv, which the tests of the schema use. */
export const jsonSchemaCases: readonly Case[] = peers.flatMap((peer): readonly Case[] => [
  {
    peer: peer.name,
    name: 'judges by order-update.schema.json as the schema does, at the same places',
    run: () => compare(peer, readSchema(), [...bodies, ...randomMistakes(300)]),
  },
  {
    peer: peer.name,
    name: 'judges by the JSON Schema of a defineOrderUpdate as it does, at the same places',
    run: () => compare(peer, toJsonSchema(defineOrderUpdate(definition)), bodiesAsDefined),
  },
]);

async function compare(
  { load, cannot = {} }: Peer,
  schema: object,
  given: readonly DocumentedBody[],
): Promise<string> {
  const judge = await load(schema as never);
  const able = given.filter(({ name }) => cannot[name] === undefined);
  for (const { name, json, places } of able) {
    const judged = judge(JSON.parse(json));
    checkSame(name, [judged.valid, unique(judged.places)], [places.length === 0, places]);
  }
  const refused = able.filter(({ places }) => places.length > 0).length;
  const unable = given.filter((body) => !able.includes(body));
  return [
    `${able.length - refused} bodies accepted, ${refused} refused`,
    ...unable.map(({ name }) => `not asked of "${name}": it ${cannot[name]}`),
  ].join('; ');
}

function readPointer(pointer: string): string {
  const segments = decodeURIComponent(pointer.replace(/^#/, '')).split('/').slice(1);
  return segments.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~')).join('/');
}
