import * as z from 'zod/mini';
import { $constructor } from 'zod/v4/core';
import { hintFor } from './hints.ts';
import { findLikelyMistakes } from './likely-mistakes.ts';
import { type NotJson, toPlainJson } from './plain-json.ts';

type Payload = z.core.ParsePayload;
type Context = z.core.ParseContextInternal;
type RawIssue = z.core.$ZodRawIssue;

/** A zod type of its own: to `z.compile` and to JSON Schema it is opaque, but for `processJSONSchema`. */
interface BodyDef extends z.core.$ZodTypeDef {
  readonly in: z.core.$ZodType;
  readonly out: z.core.$ZodType;
}

/**
 * Makes the schema of a whole body out of a model of its fields: the input is first copied as plain
 * JSON, likely mistakes are looked for, and every issue says what to write instead. What passes is
 * that copy: unknown fields, and the order of all fields, stay as given.
 */
export function bodySchema<T>(model: z.core.$ZodType): z.ZodMiniType<T, T> {
  const def: BodyDef = { type: 'orders_body' as 'pipe', in: model, out: model };
  return new BodySchema(def) as z.ZodMiniType<T, T>;
}

/** The model of a schema that `bodySchema` made; `undefined` of any other schema. */
export function modelOf({ _zod: { def, traits } }: z.core.$ZodType): z.core.$ZodType | undefined {
  return traits.has('OrdersBody') ? (def as BodyDef).out : undefined;
}

const BodySchema: z.core.$constructor<z.ZodMiniType, BodyDef> = /* @__PURE__ */ $constructor(
  'OrdersBody',
  (body, def) => {
    initType(body, def);
    body._zod.processJSONSchema = (context, json, params) =>
      context.processors['pipe']?.(body as z.core.$ZodType as z.core.$ZodPipe, context, json, params);
    body._zod.parse = (payload, context) => checkCopy(def.out, payload, toPlainJson(payload.value), context);
  },
);
const initType: (body: z.ZodMiniType, def: BodyDef) => void = z.ZodMiniType.init;

/** Checks a body that was copied as plain JSON, and lets the copy pass. */
export function checkCopy(
  model: z.core.$ZodType,
  payload: Payload,
  { value, problems }: ReturnType<typeof toPlainJson>,
  context: Context,
): z.core.util.MaybeAsync<Payload> {
  const settle = (checked: Payload): Payload => {
    payload.value = value;
    for (const issue of allIssues(model, value, checked.issues, problems)) payload.issues.push(issue);
    return payload;
  };
  const run = (how: Context) => model._zod.run({ value, issues: [] }, how);
  let checked: z.core.util.MaybeAsync<Payload>;
  try {
    checked = run(context);
  } catch {
    // Zod makes every issue an argument of one call: of more than the stack holds, the first is told.
    checked = run({ ...context, abortEarly: true });
  }
  return checked instanceof Promise ? checked.then(settle) : settle(checked);
}

function allIssues(
  model: z.core.$ZodType,
  value: unknown,
  issues: readonly RawIssue[],
  problems: readonly NotJson[],
): RawIssue[] {
  const raise = (issue: object): RawIssue => ({ code: 'custom', input: undefined, ...issue });
  const lost = new Set(problems.map(pathText));
  return [
    ...problems.map(({ path, found, hint }) =>
      raise({ path, rule: 'not_json', message: `Cannot send ${found}`, hint }),
    ),
    // What could not be copied is missing from the copy; saying so again would mislead.
    ...issues.filter((issue) => !lost.has(pathText(issue))).map(inWords),
    ...findLikelyMistakes(model, value).map(raise),
  ];
}

/** A message of a schema's own comes before ours. */
function inWords(issue: RawIssue): RawIssue {
  const worded = issue.message || issue.inst?._zod.def.error;
  return worded ? issue : Object.assign(issue, hintFor(issue));
}

const pathText = ({ path }: { readonly path?: readonly PropertyKey[] | undefined }): string =>
  JSON.stringify(path ?? []);
