import type { Prism } from './prism.ts';

/** What a case has to work with, besides an order service of its own. */
export interface Places {
  /** Prism, which answers by our OpenAPI document. */
  readonly mock: Prism;
}

/** One row: something that is not ours meets something that is. */
export type Case = RunningCase | SkippedCase;

interface RunningCase {
  readonly peer: string;
  readonly name: string;
  /** Gives what was seen; rejects when it is not what it should be. */
  readonly run: (places: Places) => Promise<string>;
}

/** A row that cannot be run here, and why. */
interface SkippedCase {
  readonly peer: string;
  readonly name: string;
  readonly skipped: string;
}

/** What came of a case. */
export interface Result {
  readonly peer: string;
  readonly name: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** What was seen, what broke, or why it was skipped. */
  readonly seen: string;
}

const longestMs = 60_000;

/** Runs a case, and gives it up when it takes too long. Never rejects. */
export async function runCase(each: Case, places: Places): Promise<Result> {
  const { peer, name } = each;
  if ('skipped' in each) return { peer, name, verdict: 'skipped', seen: each.skipped };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${longestMs} ms`)), longestMs);
  });
  try {
    return { peer, name, verdict: 'passed', seen: await Promise.race([each.run(places), late]) };
  } catch (error) {
    return { peer, name, verdict: 'failed', seen: tell(error) };
  } finally {
    clearTimeout(timer);
  }
}

function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${tell(error.cause)}` : error.message;
}

/** Fails the case unless it holds. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Fails the case unless both are the same JSON. */
export function checkSame(what: string, seen: unknown, expected: unknown): void {
  const [came, wanted] = [JSON.stringify(seen), JSON.stringify(expected)];
  check(came === wanted, `${what}: ${shorten(came)} instead of ${shorten(wanted)}`);
}

function shorten(text = 'undefined'): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
