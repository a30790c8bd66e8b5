import * as z from 'zod/mini';
import { $constructor } from 'zod/v4/core';

// Zod documents `_zod.def` for libraries; the rest of `_zod` may change in any minor release. Only this file touches
// either, and `test/long/zod-lines.test.ts` runs the package against each release line that package.json allows.

type Schema = z.core.$ZodType;
type Payload = z.core.ParsePayload;
type Context = z.core.ParseContextInternal;
type MaybePayload = z.core.util.MaybeAsync<Payload>;
export type RawIssue = z.core.$ZodRawIssue;

/** The keywords of JSON Schema that describe a check. */
export interface JsonSchemaKeywords {
  readonly type?: 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

/** A check that knows its keywords in JSON Schema. */
export interface FieldCheck<T> {
  (payload: z.core.ParsePayload<T>): void;
  readonly keywords: JsonSchemaKeywords;
}

/** Checks the input of a schema: sets the payload's value and adds its issues. */
export type ParseBody = (payload: Payload, context: Context) => MaybePayload;

/** A type of our own: `z.compile` does not look inside. */
interface BodyDef extends z.core.$ZodTypeDef {
  readonly in: Schema;
  readonly out: Schema;
  readonly parse: ParseBody;
}

/** Makes a schema that JSON Schema describes by `model`, and that `parse` checks. */
export function parsedBy<T>(model: Schema, parse: ParseBody): z.ZodMiniType<T, T> {
  const def: BodyDef = { type: 'orders_body' as 'pipe', in: model, out: model, parse };
  return new BodySchema(def) as z.ZodMiniType<T, T>;
}

const BodySchema: z.core.$constructor<z.ZodMiniType, BodyDef> = /* @__PURE__ */ $constructor(
  'OrdersBody',
  (body, def) => {
    initType(body, def);
    body._zod.parse = def.parse;
    body._zod.processJSONSchema = (context, json, params) =>
      context.processors['pipe']?.(body as Schema as z.core.$ZodPipe, context, json, params);
  },
);

// Schemas of our own in place of zod's: they only check, since `jsonBody` keeps a copy of the input, and so they cost a
// browser 1,000 bytes less. Zod converts and compiles schemas by the `type` of their definition, which is the same.

interface LeafDef extends z.core.$ZodTypeDef {
  readonly type: 'string' | 'number' | 'boolean' | 'unknown';
}

/** The schema of any value of a JavaScript type, or of any value at all. */
export const leaf = <T>(type: LeafDef['type']): z.ZodMiniType<T, T> =>
  new LeafSchema({ type }) as z.ZodMiniType<unknown, unknown> as z.ZodMiniType<T, T>;

const LeafSchema: z.core.$constructor<z.ZodMiniType, LeafDef> = /* @__PURE__ */ $constructor(
  'OrdersLeaf',
  (inst, def) => {
    initType(inst, def);
    const { type } = def;
    inst._zod.parse = (payload) =>
      type === 'unknown' || typeof payload.value === type ? payload : refuse(payload, type, inst);
  },
);

/** The schema of a field that may be absent. */
export const optional = <Inner extends Schema>(innerType: Inner): z.ZodMiniOptional<Inner> =>
  new OptionalSchema({ type: 'optional', innerType }) as Schema as z.ZodMiniOptional<Inner>;

const OptionalSchema: z.core.$constructor<z.ZodMiniType, z.core.$ZodOptionalDef> =
  /* @__PURE__ */ $constructor('OrdersOptional', (inst, def) => {
    initType(inst, def);
    inst._zod.optin = inst._zod.optout = 'optional';
    inst._zod.parse = (payload, context) =>
      payload.value === undefined ? payload : def.innerType._zod.run(payload, context);
  });

/** The schema of a list. */
export const list = <Element extends Schema>(element: Element): z.ZodMiniArray<Element> =>
  new ListSchema({ type: 'array', element }) as Schema as z.ZodMiniArray<Element>;

const ListSchema: z.core.$constructor<z.ZodMiniType, z.core.$ZodArrayDef> = /* @__PURE__ */ $constructor(
  'OrdersList',
  (inst, def) => {
    initType(inst, def);
    inst._zod.parse = (payload, context) => {
      const { value } = payload;
      if (!Array.isArray(value)) return refuse(payload, 'array', inst);
      return checkParts(payload, [...value.keys()], () => def.element, context);
    };
  },
);

/**
 * The schema of an object whose unknown fields pass at run time while misspelled literals do not compile.
 * `z.looseObject` would infer an index signature, which lets every misspelling compile.
 */
export const openObject = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strip> =>
  new ObjectSchema({ type: 'object', shape, catchall: leaf('unknown') }) as Schema as z.ZodMiniObject<
    Shape,
    z.core.$strip
  >;

const ObjectSchema: z.core.$constructor<z.ZodMiniType, z.core.$ZodObjectDef> = /* @__PURE__ */ $constructor(
  'OrdersObject',
  (inst, def) => {
    initType(inst, def);
    const names = Object.keys(def.shape);
    inst._zod.parse = (payload, context) => {
      const { value } = payload;
      if (typeof value !== 'object' || !value || Array.isArray(value)) return refuse(payload, 'object', inst);
      return checkParts(payload, names, (name) => def.shape[name] as Schema, context);
    };
  },
);

function refuse(payload: Payload, expected: string, inst: Schema): Payload {
  payload.issues.push({ code: 'invalid_type', expected: expected as 'string', input: payload.value, inst });
  return payload;
}

/** Checks the values under some keys, and adds their issues in order. */
function checkParts<Key extends PropertyKey>(
  payload: Payload,
  keys: readonly Key[],
  schemaOf: (key: Key) => Schema,
  context: Context,
): MaybePayload {
  const value = payload.value as Record<Key, unknown>;
  const parts = keys.map((key) => runSchema(schemaOf(key), value[key], context));
  const finish = (done: readonly Payload[]): Payload => {
    for (const [index, { issues }] of done.entries()) {
      const key = keys[index] as Key;
      if (!(key in value)) {
        if (schemaOf(key)._zod.optin) continue;
        if (issues.length === 0)
          issues.push({ code: 'invalid_type', expected: 'nonoptional', input: undefined });
      }
      for (const issue of issues) payload.issues.push({ ...issue, path: [key, ...(issue.path ?? [])] });
    }
    return payload;
  };
  return parts.some((part) => part instanceof Promise)
    ? Promise.all(parts).then(finish)
    : finish(parts as Payload[]);
}

const initType: (inst: z.ZodMiniType, def: z.core.$ZodTypeDef) => void = z.ZodMiniType.init;

/** The model of a schema that `parsedBy` made; `undefined` of any other, and of one with checks of its own on top. */
export function modelOf(schema: Schema): Schema | undefined {
  const { checks, out } = schema._zod.def as BodyDef;
  return schema instanceof BodySchema && !checks?.length ? out : undefined;
}

/** Runs a schema as a part of another. */
export function runSchema(schema: Schema, value: unknown, context: Context): MaybePayload {
  return schema._zod.run({ value, issues: [] }, context);
}

/** The definition of a schema: its type, its checks and the schemas inside. */
export const defOf = (schema: Schema): z.core.$ZodTypes['_zod']['def'] =>
  (schema as z.core.$ZodTypes)._zod.def;

/**
 * Whether the generated code of a compiled schema accepts a value. Where it does not, `z.validate` runs the schema itself
 * to be sure, which takes several times as long.
 */
export function accepts(compiled: Schema, value: unknown): boolean {
  const validator = compiled._zod.bag['validator'] as ((value: unknown) => unknown) | undefined;
  return validator !== undefined && validator(value) !== z.INVALID;
}

/** The keywords of the checks of a schema in JSON Schema, in order; a check itself has none. */
export const keywordsOf = ({
  _zod: { def },
}: Schema | z.core.$ZodCheck): (JsonSchemaKeywords | undefined)[] =>
  ((def as z.core.$ZodTypeDef).checks ?? []).map(
    ({ _zod: { check } }) => (check as Partial<FieldCheck<unknown>>).keywords,
  );

/** The message or error map of the schema that reported an issue. */
export const ownMessageOf = ({ message, inst }: RawIssue): unknown => message || inst?._zod.def.error;

/** Whether a value is a schema of zod 4. */
export const isSchema = (value: unknown): value is Schema =>
  (value as Schema | undefined)?._zod?.def !== undefined;
