import { validateHeaderName, validateHeaderValue } from 'node:http';
import { checkOptions } from '@orders/schema/check-options';

/** What a field must hold, in words and as a test. */
export interface FieldCheck {
  readonly wants: string;
  readonly isRequired?: true;
  passes(value: unknown): boolean;
}

export type FieldChecks = Readonly<Record<string, FieldCheck>>;

/** A longer timeout would fire at once. */
const LARGEST_TIMEOUT = 2_147_483_647;

export function whole(least: number, most: number): FieldCheck {
  return {
    wants: `a whole number from ${least} to ${most}`,
    passes: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

export const milliseconds = whole(0, LARGEST_TIMEOUT);
export const byteCount = whole(0, Number.MAX_SAFE_INTEGER);
export const flag = oneOf(true, false);
export const text: FieldCheck = { wants: 'a string', passes: (value) => typeof value === 'string' };

export const headerValue: FieldCheck = {
  wants: 'a string that a header can hold',
  passes: (value) => typeof value === 'string' && isFine(() => validateHeaderValue('x', value)),
};

export const headers: FieldCheck = {
  wants: 'an object of header names and string values',
  passes: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, held]) => isFine(() => validateHeaderName(name)) && headerValue.passes(held),
    ),
};

export const probability: FieldCheck = {
  wants: 'a number from 0 to 1',
  passes: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};

export function oneOf(...values: readonly (string | number | boolean)[]): FieldCheck {
  return {
    wants: values.map((value) => JSON.stringify(value)).join(' or '),
    passes: (value) => values.some((one) => one === value),
  };
}

export function required(check: FieldCheck): FieldCheck {
  return { ...check, isRequired: true };
}

/** Throws a `TypeError` that begins with `place` and says what to write instead; a field that is undefined is absent. */
export function checkFields(
  place: string,
  value: Readonly<Record<string, unknown>>,
  checks: FieldChecks,
): void {
  checkOptions(place, value, Object.keys(checks));
  for (const [name, check] of Object.entries(checks)) {
    if (value[name] === undefined && check.isRequired !== true) continue;
    if (!check.passes(value[name])) throw new TypeError(`${place}: ${name} must be ${check.wants}.`);
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFine(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}
