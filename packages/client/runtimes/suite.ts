import type { Case, Context } from './context.ts';
import { outcomeCases } from './outcome-cases.ts';
import { promiseCases } from './promise-cases.ts';

/** The one suite that runs in every runtime. */
export const cases: readonly Case[] = [...outcomeCases, ...promiseCases];

/** What one case came to: what it told, or why it broke. */
export interface Result {
  readonly name: string;
  readonly told?: string;
  readonly broke?: string;
}

const longestMs = 10_000;

/** Runs a case, and ends it when it takes too long. Never rejects. */
export async function runCase({ name, run }: Case, context: Context): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${longestMs} ms`)), longestMs);
  });
  try {
    return { name, told: await Promise.race([run(context), late]) };
  } catch (error) {
    return { name, broke: String(error instanceof Error ? (error.stack ?? error) : error) };
  } finally {
    clearTimeout(timer);
  }
}
