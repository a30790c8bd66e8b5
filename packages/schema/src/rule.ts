import type * as z from 'zod/mini';

/** What a rule says of itself in JSON Schema. */
export interface JsonRule {
  readonly type?: 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

/** What went wrong (`rule`, a code that never changes its meaning; `message`) and what to write instead. */
export interface Hinted {
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** A check that knows what it is in JSON Schema. */
export interface RuleCheck<T> {
  (payload: z.core.ParsePayload<T>): void;
  readonly jsonRule: JsonRule;
}

/**
 * Makes a check out of a rule: `broken` tells what a value got wrong, if anything, and what to write
 * instead. Zod's own checks would cost a browser more bytes, and know no hint.
 */
export function rule<T>(jsonRule: JsonRule, broken: (value: T) => Hinted | undefined): RuleCheck<T> {
  const check = ({ value, issues }: z.core.ParsePayload<T>): void => {
    const hinted = broken(value);
    if (hinted) issues.push({ code: 'custom', input: value, ...hinted });
  };
  return Object.assign(check, { jsonRule });
}
