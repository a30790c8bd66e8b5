import type * as z from 'zod/mini';
import { hintFor } from './hints.ts';
import { findLikelyMistakes } from './likely-mistakes.ts';
import { type NotJson, toPlainJson } from './plain-json.ts';
import { ownMessageOf, type ParseBody, parsedBy, type RawIssue, run } from './zod-internals.ts';

/**
 * Makes the schema of a whole body out of a model of its fields: the input is first copied as plain
 * JSON, likely mistakes are looked for, and every issue says what to write instead. What passes is
 * that copy: unknown fields, and the order of all fields, stay as given.
 */
export function bodySchema<T>(model: z.core.$ZodType): z.ZodMiniType<T, T> {
  const parse: ParseBody = (payload, context) => {
    const { value, problems } = toPlainJson(payload.value);
    const settle = (checked: typeof payload): typeof payload => {
      payload.value = value;
      for (const issue of allIssues(model, value, checked.issues, problems)) payload.issues.push(issue);
      return payload;
    };
    let checked: ReturnType<typeof run>;
    try {
      checked = run(model, value, context);
    } catch {
      // Zod makes every issue an argument of one call: of more than the stack holds, only the first is reported.
      checked = run(model, value, { ...context, abortEarly: true });
    }
    return checked instanceof Promise ? checked.then(settle) : settle(checked);
  };
  return parsedBy(model, parse);
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
const inWords = (issue: RawIssue): RawIssue =>
  ownMessageOf(issue) ? issue : Object.assign(issue, hintFor(issue));

const pathText = ({ path }: { readonly path?: readonly PropertyKey[] | undefined }): string =>
  JSON.stringify(path ?? []);
