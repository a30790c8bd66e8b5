import type * as z from 'zod/mini';
import { cloneJson, type NonJsonValue } from './clone-json.ts';
import { type IssueText, issueFields, show } from './field-types.ts';
import { type FieldTypo, findFieldTypos } from './field-typos.ts';
import {
  type JsonSchemaKeywords,
  keywordsOf,
  ownMessageOf,
  type ParseBody,
  parsedBy,
  type RawIssue,
  runSchema,
} from './zod-internals.ts';

/**
 * Makes the schema of a whole body from a model of its fields: the input is first copied as plain JSON, unknown fields
 * are compared with the known ones, and every issue has a hint. The parsed value is that copy, with unknown fields and
 * the order of all fields as given.
 */
export function jsonBody<T>(model: z.core.$ZodType): z.ZodMiniType<T, T> {
  const parse: ParseBody = (payload, context) => {
    const { value, problems } = cloneJson(payload.value);
    const finish = (checked: typeof payload): typeof payload => {
      payload.value = value;
      for (const issue of allIssues(model, value, checked.issues, problems)) payload.issues.push(issue);
      return payload;
    };
    let checked: ReturnType<typeof runSchema>;
    try {
      checked = runSchema(model, value, context);
    } catch {
      // Zod makes every issue an argument of one call: of more than the stack holds, only the first is reported.
      checked = runSchema(model, value, { ...context, abortEarly: true });
    }
    return checked instanceof Promise ? checked.then(finish) : finish(checked);
  };
  return parsedBy(model, parse);
}

function allIssues(
  model: z.core.$ZodType,
  value: unknown,
  issues: readonly RawIssue[],
  problems: readonly NonJsonValue[],
): RawIssue[] {
  const createIssue = (issue: FieldTypo): RawIssue => ({
    code: 'custom',
    input: undefined,
    path: issue.path,
    ...issueFields(issue),
  });
  const notCopied = new Set(problems.map(pathText));
  return [
    ...problems.map(({ path, found, hint }) =>
      createIssue({ path, code: 'not_serializable', message: `Cannot send ${found}`, hint }),
    ),
    // What could not be copied is missing from the copy: that it is required would mislead.
    ...issues.filter((issue) => !notCopied.has(pathText(issue))).map(addHint),
    ...findFieldTypos(model, value).map(createIssue),
  ];
}

const pathText = ({ path }: { readonly path?: readonly PropertyKey[] | undefined }): string =>
  JSON.stringify(path ?? []);

/** A message of a schema's own comes before ours. */
function addHint(issue: RawIssue): RawIssue {
  const text = ownMessageOf(issue) ? undefined : describeTypeIssue(issue);
  return text ? Object.assign(issue, issueFields(text)) : issue;
}

/** The text of zod's own `invalid_type`, while the value is still at hand. */
export function describeTypeIssue({
  code,
  expected,
  input,
  inst,
  path = [],
}: RawIssue): IssueText | undefined {
  if (code !== 'invalid_type') return undefined;
  const name = path.at(-1);
  if (input === undefined) {
    // A cart without its lines would perhaps empty the order.
    const lines = name === 'cart' ? ', with every line of the order' : '';
    return { code: 'required', message: 'Required', hint: `Add ${String(name ?? 'a value')}${lines}.` };
  }
  const [limits] = inst ? keywordsOf(inst) : [];
  const kind = kinds[(limits?.type ?? expected) as keyof typeof kinds] ?? String(expected);
  return {
    code,
    message: `Expected ${kind}, got ${show(input)}`,
    hint: replacement(String(expected), input, limits) ?? `Write ${kind}.`,
  };
}

const kinds = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function replacement(
  expected: string,
  input: unknown,
  { enum: codes, pattern }: JsonSchemaKeywords = {},
): string | undefined {
  if (input === null) return 'Write a value; an optional field is left out, not null.';
  if (expected === 'string' && typeof input !== 'object') {
    // Digits in quotes are no currency code and no URL.
    if (codes || pattern) return undefined;
    // Of 4006381333931000001 JavaScript lost digits, of 1.50 the last zero.
    const isWhole = typeof input !== 'number' || Number.isSafeInteger(input);
    return isWhole ? `Write "${input}", in quotes.` : 'Write it in quotes, as its source has it.';
  }
  if (typeof input !== 'string') return undefined;
  if (expected === 'object') return 'Write an object, not text; parse JSON text first.';
  const isLiteral =
    (expected === 'number' && /^-?\d{1,15}$/.test(input)) ||
    (expected === 'boolean' && /^(true|false)$/.test(input));
  // JSON has no 007.
  return isLiteral ? `Write ${JSON.parse(input.replace(/^(-?)0+(?=\d)/, '$1'))}, without quotes.` : undefined;
}
