import type * as z from 'zod/mini';
import { currencyCodes } from './currency-codes.ts';
import type { IssueCode } from './explain.ts';
import { type FieldCheck, type JsonSchemaKeywords, leaf } from './zod-internals.ts';

/** What is wrong, and what to write instead. */
export interface IssueText {
  readonly code: IssueCode;
  readonly message: string;
  readonly hint: string;
}

/** The fields of a zod issue with this text: zod has a code of its own, and `params` for what a check adds. */
export const issueFields = ({ code, message, hint }: IssueText) => ({ message, params: { code, hint } });

/**
 * Makes a check; `validate` returns the text of the issue, if there is one. Zod's own checks would cost a browser more
 * bytes, and have no hint.
 */
export function createCheck<T>(
  keywords: JsonSchemaKeywords,
  validate: (value: T) => IssueText | undefined,
): FieldCheck<T> {
  const check = ({ value, issues }: z.core.ParsePayload<T>): void => {
    const text = validate(value);
    if (text) issues.push({ code: 'custom', input: value, ...issueFields(text) });
  };
  return Object.assign(check, { keywords });
}

/** A value in at most 40 characters; numbers are written in full. */
export function show(value: unknown): string {
  if (typeof value === 'object' && value) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  const characters = [...value.slice(0, 82)];
  return JSON.stringify(characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : value);
}

type Text = z.ZodMiniType<string, string>;
type Integer = z.ZodMiniType<number, number>;

/** Any string. */
export const string = (): Text => leaf('string');

export const boolean = (): z.ZodMiniType<boolean, boolean> => leaf('boolean');

/** An integer of any sign that JavaScript holds exactly; the API reference has no other range. */
export const integer = (): Integer => integerBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

export const int32 = (): Integer => integerBetween(-(2 ** 31), 2 ** 31 - 1);

function integerBetween(minimum: number, maximum: number): Integer {
  return leaf<number>('number').check(
    createCheck({ type: 'integer', minimum, maximum }, (value) => {
      if (!Number.isInteger(value)) {
        return {
          code: 'not_integer',
          message: `Expected an integer, got ${value}`,
          hint: `Amounts, rates and quantities are whole numbers: check the unit of ${value} before you round it.`,
        };
      }
      return value < minimum || value > maximum
        ? {
            code: 'out_of_range',
            message: `Expected an integer from ${minimum} to ${maximum}, got ${value}`,
            hint: 'Write a number in this range, or check its unit.',
          }
        : undefined;
    }),
  );
}

/** The length limit of `order_id` and of both metadata strings in the API reference. */
const maxLength = 255;

/** A string of at most 255 characters: code points, not UTF-16 units, so 255 emoji pass. */
export function limitedString(): Text {
  return string().check(
    createCheck({ maxLength }, (text) => {
      const excess = text.length > maxLength ? [...text].length - maxLength : 0;
      return excess > 0
        ? {
            code: 'too_long',
            message: `Expected at most ${maxLength} characters, got ${maxLength + excess}`,
            hint: `Shorten it by ${excess}.`,
          }
        : undefined;
    }),
  );
}

export function currencyCode(currencies: readonly string[]): Text {
  const known = new Set(currencies);
  const codes = [...known];
  const [expected, advice] =
    codes.length > 9
      ? [
          currencies === currencyCodes
            ? 'an ISO 4217 currency code'
            : `one of ${codes.length} listed currency codes`,
          'the listed code',
        ]
      : [(codes.length > 1 ? 'one of ' : '') + codes.join(', '), codes.join(' or ')];
  return string().check(
    createCheck({ enum: codes }, (code) => {
      if (known.has(code)) return undefined;
      const meant = code.trim().toUpperCase();
      // Another code would not change the amounts.
      const replacement = known.has(meant) ? `"${meant}"` : `${advice}, if the amounts are in it`;
      return {
        code: 'invalid_currency',
        message: `Expected ${expected}, got ${show(code)}`,
        hint: `Write ${replacement}.`,
      };
    }),
  );
}

/** A URL by pattern, not by a URL parser: placeholders in braces are fine inside. */
function url(pattern: RegExp, kind: string): Text {
  return string().check(
    createCheck({ pattern: pattern.source }, (text) =>
      pattern.test(text)
        ? undefined
        : {
            code: 'invalid_url',
            message: `Expected ${kind}, got ${show(text)}`,
            hint: 'Write the whole URL without spaces, with its scheme such as https://, or leave it out.',
          },
    ),
  );
}

export const webUrl = (): Text => url(/^[hH][tT][tT][pP][sS]?:\/\/[^\s/?#]\S*$/, 'an http or https URL');

// Apps return to schemes of their own; the two that carry code or content are refused.
export const returnUrl = (): Text =>
  url(
    /^(?![jJ][aA][vV][aA][sS][cC][rR][iI][pP][tT]:|[dD][aA][tT][aA]:)[a-zA-Z][a-zA-Z\d+.-]*:\S+$/,
    'an absolute URL',
  );
