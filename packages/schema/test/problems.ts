import * as z from 'zod/mini';
import { type Explanation, explain } from '../src/index.ts';

/** The explanations of a value that a schema refuses: none when it passes. */
export function explanationsOf(schema: z.core.$ZodType, value: unknown): Explanation[] {
  const result = z.safeParse(schema, value);
  return result.success ? [] : explain(result.error);
}

/** The parts of an explanation that tests compare. */
export type Problem = readonly [path: string, code: string, hint: string | undefined];

/** The explanations without their messages. */
export function problemsOf(schema: z.core.$ZodType, value: unknown): Problem[] {
  return explanationsOf(schema, value).map(({ path, code, hint }): Problem => [path, code, hint]);
}
