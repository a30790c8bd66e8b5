import type * as z from 'zod/mini';
import { checkOptions } from './check-options.ts';
import { isPlainObject } from './clone-json.ts';
import type { IssueCode } from './explain.ts';
import { show } from './field-types.ts';
import {
  type AmountFormat,
  type FieldKind,
  type FormValues,
  fieldIn,
  formatAmount,
  kindOf,
  readAmount,
  readFormValues,
  type Schema,
  schemaAt,
  wholeNumber,
} from './form-values.ts';

export { isoDecimals } from './iso-decimals.ts';

/** How a form is read. */
export interface FormReaderOptions {
  /**
   * How amounts are written: `unit_price` and `vat_amount` of a line, the total and the VAT amount of the order.
   * @default an amount is written as the integer that is sent
   */
  readonly amounts?: AmountOptions | undefined;
  /**
   * The values of a line when it is added to the cart. A line that holds nothing else is left out, like a blank one.
   * @default {}
   */
  readonly newLine?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Names of fields at the top of the form that are not part of the order, such as a CSRF token: they are not sent, and
   * `leftOut` lists them. Of a `FormData` or `URLSearchParams`, names that the schema does not have at its top are left out anyway.
   * @default []
   */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Returns the message of an issue, for example in another language; `undefined` keeps the English one.
   * @default the English messages
   */
  readonly translate?: (issue: FormIssue) => string | undefined | undefined;
}

/** How amounts are written. Nothing of it is guessed. */
export interface AmountOptions {
  /**
   * How many decimals of a written amount are part of the integer that is sent: with 2, `258.00` and `258` are both
   * sent as 25800. An integer from 0 to 15, or a table of them by currency, such as `{ EUR: 2, JPY: 0, KWD: 3 }` or
   * `isoDecimals()`: then the `purchase_currency` of the form decides, and no amount is read without one. The API does not
   * document the unit of amounts.
   */
  readonly decimals: number | Readonly<Record<string, number>>;
  /**
   * The decimal separator in messages and in `formatAmount`. Amounts of up to two decimals are read with either one.
   * With three or more decimals, or with a group separator, `1,299` could be 1.299 or 1299: then only this one is read, and
   * it has to be declared.
   * @default '.' with up to two decimals and no group separator
   */
  readonly decimalSeparator?: '.' | ',' | undefined;
  /**
   * What may stand between groups of digits, as in `1.299,00`: a full stop, a comma, a space of any kind, or an apostrophe
   * of any kind: `'`, `‘`, `’`, `ʼ` or `′`.
   * @default none: an amount with groups is an issue
   */
  readonly groupSeparator?: '.' | ',' | ' ' | "'" | undefined;
}

/** An issue of one field: plain data, which can be translated and sent to a browser. */
export interface FormIssue {
  /** The name of the field: `cart.items.0.unit_price`; empty for the form as a whole. */
  readonly field: string;
  /** What is wrong; a schema of yours has codes of its own. A code never changes its meaning. */
  readonly code: FormIssueCode;
  /** Says what to write instead, to the person who fills in the form. */
  readonly message: string;
  /** The value of the field, if it is text, a number or a boolean. */
  readonly received?: string | number | boolean;
  /** The least value, as a person writes it. */
  readonly min?: string;
  /** The greatest value, as a person writes it, or the most characters. */
  readonly max?: string | number;
  /** The accepted values. */
  readonly allowed?: readonly string[];
  /** The most decimals of an amount. */
  readonly decimals?: number;
  /** A number, written as it should be. */
  readonly example?: string;
}

/** The codes of the schema, and those of the form kit. */
export type FormIssueCode =
  | IssueCode
  | 'invalid_amount'
  | 'group_separator'
  | 'too_many_decimals'
  | 'ambiguous_amount'
  | 'unknown_decimals'
  | 'ambiguous_field'
  | (string & {});

/** The data to send, or the issues, in the order of the form's fields. */
export type FormResult<Data> = FormSuccess<Data> | FormFailure;

/** The data of a form that can be sent. */
export interface FormSuccess<Data> {
  readonly ok: true;
  readonly data: Data;
  /** The names of the blank fields and lines, and of fields that are not part of the order: they are not sent. */
  readonly leftOut: readonly string[];
}

/** The issues of a form that cannot be sent. */
export interface FormFailure {
  readonly ok: false;
  readonly issues: readonly FormIssue[];
  /** The names of the blank fields and lines, and of fields that are not part of the order. */
  readonly leftOut: readonly string[];
}

/** Reads what a form holds. */
export interface FormReader<Data> {
  /**
   * Reads the values of a form library, or the entries of a `FormData` or `URLSearchParams` with names such as
   * `cart.items.0.sku`. Of such entries only fields of the schema are sent, so that no token of a framework is. Never throws, whatever the form holds; only an asynchronous schema of yours makes it throw.
   */
  readonly read: (values: unknown) => FormResult<Data>;
  /** The resolver of react-hook-form: `useForm({ resolver })`. Issues of the form as a whole are at `errors.form`. */
  readonly resolver: (values: unknown) => FormResolverResult<Data>;
  /**
   * Writes an amount for a form: with two decimals, 25800 becomes `258.00`.
   * @param currency Where decimals are declared by currency, the currency of the amount.
   * @throws TypeError when it is not an integer that JavaScript holds exactly, or no decimals are declared for the currency.
   */
  readonly formatAmount: (amount: number, currency?: string) => string;
}

/** What react-hook-form expects of a resolver. */
export type FormResolverResult<Data> =
  | { readonly values: Data; readonly errors: Record<string, never> }
  // Nothing: TypeScript 5 would take anything else for a second type of what the form submits.
  | { readonly values: never; readonly errors: object };

/**
 * Creates a reader that turns the values of a form into data that the schema accepts, or lists issues by field. A blank
 * field is left out of the update: whether the service then keeps its value is undocumented.
 *
 * @param schema `OrderUpdate`, a schema of `defineOrderUpdate`, or a part such as `Cart`.
 * @throws TypeError when an option is unknown or wrong.
 */
export function createFormReader<Data>(
  schema: z.ZodMiniType<Data, Data>,
  options: FormReaderOptions = {},
): FormReader<Data> {
  const amountsIn = amountFormats(schema, options);
  const { newLine = {}, ignore = [], translate } = options;

  const fail = (issues: FormIssue[], leftOut: readonly string[]): FormFailure => ({
    ok: false,
    issues: issues.map((issue) => ({ ...issue, message: translated(issue, translate) })),
    leftOut,
  });
  const read = (values: unknown): FormResult<Data> => {
    let form: FormValues;
    try {
      form = readFormValues(schema, values, { amountsIn, newLine, ignore });
    } catch {
      return fail([{ field: '', code: 'not_serializable', message: 'Cannot read the form.' }], []);
    }
    // The form itself is wrong, which a person who fills it in cannot change.
    const ambiguous = [...form.ambiguous].map((field) => ({
      field,
      code: 'ambiguous_field',
      message: `${field} has several values: name its inputs differently.`,
    }));
    if (ambiguous[0]) return fail(ambiguous, form.leftOut);
    const { success, data, error } = schema.safeParse(form.body);
    if (success) return { ok: true, data, leftOut: form.leftOut };
    return fail(findIssues(schema, form, error.issues), form.leftOut);
  };

  return {
    read,
    resolver: (values) => {
      const result = read(values);
      return result.ok
        ? { values: result.data, errors: {} }
        : { values: {} as never, errors: toFieldErrors(result.issues, values) };
    },
    formatAmount: (amount, currency) => {
      if (!Number.isSafeInteger(amount))
        throw new TypeError(`formatAmount: got ${amount}. Pass the integer that is sent.`);
      const format = amountsIn(currency);
      if (format.decimals !== undefined) return formatAmount(amount, format);
      throw new TypeError(`formatAmount: got ${currency}. Pass a currency of the table.`);
    },
  };
}

/** Checks all options: a misspelled `decimals` would make every amount a hundredth of itself. */
function amountFormats(schema: Schema, options: FormReaderOptions): (currency: unknown) => AmountFormat {
  const { amounts = wholeNumber } = options;
  checkOptions('createFormReader', options, ['amounts', 'newLine', 'ignore', 'translate']);
  checkOptions('createFormReader: amounts', amounts, ['decimals', 'decimalSeparator', 'groupSeparator']);
  const { decimals, groupSeparator } = amounts;
  const table = isPlainObject(decimals) ? decimals : undefined;
  const counts = (table ? Object.values(table) : [decimals]) as readonly number[];
  const needsSeparator = groupSeparator !== undefined || counts.some((count) => count > 2);
  const { decimalSeparator = needsSeparator ? undefined : '.' } = amounts;

  // No example: who copied one would send amounts in another scale.
  const refuse = (advice: string): TypeError => new TypeError(`createFormReader: amounts: ${advice}`);
  if (counts.length === 0 || counts.some((count) => !Number.isInteger(count) || count < 0 || count > 15))
    throw refuse('write decimals as an integer from 0 to 15, or a table by currency.');
  if (decimalSeparator !== '.' && decimalSeparator !== ',')
    throw refuse('write decimalSeparator as "." or ",".');
  if (
    groupSeparator !== undefined &&
    (groupSeparator === decimalSeparator || !/^[., ']$/.test(groupSeparator))
  )
    throw refuse('write groupSeparator as another of ".", ",", " " and "\'", or leave it out.');
  if (table && !schemaAt(schema, 'purchase_currency'))
    throw refuse('write decimals as an integer: the schema has no purchase_currency.');
  const byCurrency = table && new Map<unknown, number>(Object.entries(table));
  return (currency) => ({
    decimals: byCurrency ? byCurrency.get(currency) : (decimals as number),
    decimalSeparator,
    groupSeparator,
  });
}

/** The issues of the schema, in the order of the form's fields. */
function findIssues(
  schema: Schema,
  { body, given, lineKeys, amounts }: FormValues,
  raw: readonly z.core.$ZodIssue[],
): FormIssue[] {
  const currency = given.get('purchase_currency')?.value;
  const issues = raw.map((issue) => {
    let field = '';
    let part: Schema | undefined = schema;
    let value = body;
    for (const key of issue.path.map(String)) {
      field = fieldIn(field, lineKeys.get(value)?.[Number(key)] ?? key);
      part = schemaAt(part, key);
      value = (value as Fields | undefined)?.[key];
    }
    return createFormIssue(issue, {
      ...kindOf(part, field, amounts),
      field,
      given: given.get(field)?.value,
      currency,
    });
  });
  const indexOf = ({ field }: FormIssue): number => given.get(field)?.index ?? Infinity;
  return issues.sort((one, other) => indexOf(one) - indexOf(other));
}

interface GivenField extends FieldKind {
  readonly field: string;
  readonly given: unknown;
  /** That of the form. */
  readonly currency: unknown;
}

function createFormIssue(
  issue: z.core.$ZodIssue,
  { type, limits = {}, amounts, field, given, currency }: GivenField,
): FormIssue {
  const write = (number = 0): string => formatAmount(number, amounts ?? wholeNumber);
  const { message, code: zodCode } = issue;
  // The issues of this package have a code and a hint in `params`.
  const { code: known = zodCode, hint } =
    (issue as { params?: { code?: string; hint?: string } }).params ?? {};
  const code = known === 'invalid_type' && limits.type ? numberProblem(given, amounts) : known;
  const data = {
    field,
    code,
    ...(given != null &&
      typeof given !== 'bigint' &&
      given !== Object(given) && { received: given as string | number | boolean }),
    ...(code === 'out_of_range' && { min: write(limits.minimum), max: write(limits.maximum) }),
    ...(limits.maxLength && { max: limits.maxLength }),
    ...(limits.enum && { allowed: limits.enum }),
    ...(limits.type && code !== 'unknown_decimals' && { example: amounts ? `1299${write().slice(1)}` : '2' }),
    ...(amounts?.decimals !== undefined && { decimals: amounts.decimals }),
  };
  const { example, decimals, min, max } = data;
  const texts: Partial<Record<string, string | undefined>> = {
    required: 'Fill in this field.',
    invalid_type: { boolean: 'Choose yes or no.', string: 'Write text.' }[type ?? ''],
    invalid_amount: `Write an amount such as ${example}.`,
    group_separator: `Write an amount without spaces or thousands separators, such as ${example}.`,
    // 1.299 may have been meant as 1299.
    too_many_decimals: `Write an amount without thousands separators, and with ${decimals ? 'at most ' : ''}${decimals} decimals, such as ${example}.`,
    unknown_decimals:
      typeof currency === 'string' && currency.trim()
        ? `The decimals of ${show(currency).slice(1, -1)} are not declared.`
        : 'Choose the currency first: it decides the decimals.',
    ambiguous_amount: `Write the amount as text, such as "${example}".`,
    not_integer: `Write a whole number such as ${example}.`,
    out_of_range: `Write a number from ${min} to ${max}.`,
    too_long: `Write at most ${max} characters. ${hint}`,
    invalid_currency: hint,
    invalid_url: hint,
  };
  // A schema of the caller has a message of its own.
  return { ...data, message: hint ? (texts[code] ?? `${message}. ${hint}`) : message };
}

/** The reason why the value of a number field was not read. */
function numberProblem(given: unknown, amounts: AmountFormat | undefined): FormIssueCode {
  if (amounts?.decimals === undefined && amounts) return 'unknown_decimals';
  if (typeof given !== 'string') return amounts ? 'ambiguous_amount' : 'not_integer';
  const read = readAmount(given, amounts ?? wholeNumber);
  if (typeof read === 'number') return 'out_of_range';
  return amounts ? read : 'not_integer';
}

/** A translation that throws does not hide the issue. */
function translated(issue: FormIssue, translate: FormReaderOptions['translate']): string {
  try {
    return translate?.(issue) ?? issue.message;
  } catch {
    return issue.message;
  }
}

type Fields = Record<string, unknown>;

/** Nests issues as react-hook-form does; of a field, the first issue counts. */
function toFieldErrors(issues: readonly FormIssue[], values: unknown): object {
  const errors: Fields = {};
  for (const { field, code, message } of issues) {
    let node = errors;
    let value = values;
    const step = (key: string): void => {
      value = (value as Fields | undefined)?.[key];
      if (!Object.hasOwn(node, key)) node[key] = Array.isArray(value) ? [] : {};
      node = node[key] as Fields;
    };
    // An error under `__proto__` would be lost, and the form valid.
    for (const key of (/^$|__proto__/.test(field) ? 'form' : field).split('.')) step(key);
    // The error of a list or an object stands beside those of what it holds.
    if (value === Object(value)) step('root');
    if (!node['type']) Object.assign(node, { type: code, message });
  }
  return errors;
}
