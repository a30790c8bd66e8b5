import * as z from 'zod/mini';
import { type Explanation, explain } from '../src/index.ts';

/** What a schema says against a value, in full: empty when it passes. */
export function explanationsOf(schema: z.core.$ZodType, value: unknown): Explanation[] {
  const result = z.safeParse(schema, value);
  return result.success ? [] : explain(result.error);
}

/** Where, which rule, and what to write instead: what a test says of an issue. */
export type Problem = readonly [path: string, code: string, hint: string | undefined];

/** The same without the messages. */
export function problemsOf(schema: z.core.$ZodType, value: unknown): Problem[] {
  return explanationsOf(schema, value).map(({ path, code, hint }): Problem => [path, code, hint]);
}
