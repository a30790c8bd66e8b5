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

interface LeafDef extends z.core.$ZodTypeDef {
  readonly type: 'string' | 'number' | 'boolean' | 'unknown';
}

/** The schema of any value of a JavaScript type, or of any value at all: zod's own classes cost a browser 400 bytes more. */
export const leaf = <T>(type: LeafDef['type']): z.ZodMiniType<T, T> =>
  new LeafSchema({ type }) as z.ZodMiniType<unknown, unknown> as z.ZodMiniType<T, T>;

const LeafSchema: z.core.$constructor<z.ZodMiniType, LeafDef> = /* @__PURE__ */ $constructor(
  'OrdersLeaf',
  (inst, def) => {
    initType(inst, def);
    const { type } = def;
    inst._zod.parse = (payload) => {
      const { value: input, issues } = payload;
      if (type !== 'unknown' && typeof input !== type)
        issues.push({ code: 'invalid_type', expected: type, input, inst });
      return payload;
    };
  },
);
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
