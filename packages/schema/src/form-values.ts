import type * as z from 'zod/mini';
import { isPlainObject } from './clone-json.ts';
import { findFieldTypos } from './field-typos.ts';
import { defOf, type JsonSchemaKeywords, keywordsOf } from './zod-internals.ts';

export type Schema = z.core.$ZodType;
type Fields = Readonly<Record<string, unknown>>;

/** How a form writes amounts. */
export interface AmountFormat {
  /** How many decimals of a written amount are part of the integer that is sent; undefined where that is not known. */
  readonly decimals: number | undefined;
  readonly decimalSeparator: '.' | ',';
  readonly groupSeparator?: keyof typeof groupMarks | undefined;
}

/** How the text of a form is written. */
export interface FormFormat {
  /** How amounts are written in a form with this currency. */
  readonly amountsIn: (currency: unknown) => AmountFormat;
  readonly newLine: Fields;
  /** Names of fields that are not part of the order. */
  readonly ignore: readonly string[];
}

/** The values of a form, read by the fields of a schema. */
export interface FormValues {
  /** The input of the schema: without blank fields, and with numbers and booleans in place of their text. */
  readonly body: unknown;
  /** The value of each field, and its index in the order of the form. */
  readonly given: ReadonlyMap<string, GivenValue>;
  /** The fields and lines that are blank, and the fields that are not part of the order. */
  readonly leftOut: readonly string[];
  /** The fields for which the form holds more than one value, or numbers that may be those of a list. */
  readonly ambiguous: ReadonlySet<string>;
  /** How amounts are written in this form. */
  readonly amounts: AmountFormat;
  /** The keys of a list's lines in the form: blank lines are missing from the body. */
  readonly lineKeys: ReadonlyMap<unknown, readonly string[]>;
}

interface GivenValue {
  readonly value: unknown;
  readonly index: number;
}

interface Reading extends FormFormat {
  amounts: AmountFormat;
  readonly given: Map<string, GivenValue>;
  readonly leftOut: string[];
  readonly ambiguous: Set<string>;
  readonly lineKeys: Map<unknown, readonly string[]>;
  values: number;
}

export const wholeNumber: AmountFormat = { decimals: 0, decimalSeparator: '.' };

// No form is larger; a cycle is. Values of lines that begin as a new one count twice.
const maxValues = 200_000;

/**
 * Reads the values of a form library, or the entries of a `FormData` or `URLSearchParams`.
 *
 * @throws when the form is too large, or throws while it is read.
 */
export function readFormValues(schema: Schema, form: unknown, format: FormFormat): FormValues {
  const reading: Reading = {
    ...format,
    amounts: wholeNumber,
    given: new Map(),
    leftOut: [],
    ambiguous: new Set(),
    lineKeys: new Map(),
    values: 0,
  };
  const values = isFormData(form) ? nestEntries(form, schema, reading) : form;
  reading.amounts = format.amountsIn((values as Fields | null | undefined)?.['purchase_currency']);
  const body = readValue(values, schema, '', reading) ?? {};
  return { ...reading, body };
}

/** The schema behind `optional` and the like. */
function coreOf(schema: Schema): Schema {
  const { innerType, in: input } = defOf(schema) as { readonly innerType?: Schema; readonly in?: Schema };
  const inner = innerType ?? input;
  return inner ? coreOf(inner) : schema;
}

/** The schema of the value under a key. */
export function schemaAt(schema: Schema | undefined, key: string): Schema | undefined {
  const def = schema && defOf(coreOf(schema));
  if (def?.type === 'array') return def.element;
  return def?.type === 'object' && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
}

/** The type of a field, and its limits. */
export interface FieldKind {
  readonly type?: string;
  readonly limits?: JsonSchemaKeywords | undefined;
  /** How it is written, if it is an amount. */
  readonly amounts?: AmountFormat | undefined;
}

export function kindOf(schema: Schema | undefined, field: string, amounts: AmountFormat): FieldKind {
  if (!schema) return {};
  const core = coreOf(schema);
  const limits = keywordsOf(core)[0];
  // Of the integers of the API, these two are not amounts.
  const isAmount = limits?.type && !/\b(quantity|discount_rate)$/.test(field);
  return { type: defOf(core).type, limits, amounts: isAmount ? amounts : undefined };
}

export const fieldIn = (field: string, key: string): string => (field && `${field}.`) + key;

/** react-hook-form holds NaN for an empty number field. */
const isBlank = (value: unknown): boolean =>
  value == null || Number.isNaN(value) || (typeof value === 'string' && !value.trim());

/** Returns the value for the body, or `undefined` to leave the field out. */
function readValue(value: unknown, schema: Schema | undefined, field: string, reading: Reading): unknown {
  if (++reading.values > maxValues) throw new RangeError();
  reading.given.set(field, { value, index: reading.values });
  if (isBlank(value)) {
    reading.leftOut.push(field);
    return undefined;
  }
  const { type, limits, amounts } = kindOf(schema, field, reading.amounts);
  if (Array.isArray(value)) return readList(value, schema, field, reading);
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    // The names of a `FormData` make a list an object, with gaps where lines were removed from the page.
    const isList = (type ? type === 'array' : isNested(value)) && keys.every((key) => /^\d+$/.test(key));
    // Where nothing is declared, gaps may be those between fields that have a number for a name, too.
    if (!type && isList && keys.some((key, index) => key !== `${index}`)) reading.ambiguous.add(field);
    return (isList ? readList : readObject)(value, schema, field, reading);
  }
  if (type === 'boolean') return readChoice(value) ?? value;
  if (type !== 'number') return value;
  return limits?.type ? readNumber(value, amounts) : readDecimal(value, reading.amounts.decimalSeparator);
}

/** Returns the choice that a check box, a select, a spreadsheet (`TRUE`) or a person writes in one of these ways. */
function readChoice(value: unknown): boolean | undefined {
  const text = String(value).trim();
  return /^(true|on|yes|1)$/i.test(text) || (/^(false|off|no|0)$/i.test(text) ? false : undefined);
}

/** Returns the number of a field of the caller's own, with as many decimals as it has; text that is none stays as it is. */
function readDecimal(value: unknown, decimalSeparator: '.' | ','): unknown {
  if (typeof value !== 'string') return value;
  const [, sign, whole, mark = decimalSeparator, fraction = ''] = numeral.exec(value.trim()) ?? [];
  const text = `${sign}${whole}.${fraction}`;
  // With decimals, it may have one digit more than a safe integer.
  const isExact = Number.isSafeInteger(Number(whole + fraction)) || String(Number(text)) === text;
  return mark === decimalSeparator && isExact ? Number(text) + 0 : value;
}

/** Returns the integer to send, or text, which the schema refuses. */
function readNumber(value: unknown, amounts = wholeNumber): unknown {
  // 258 may have been typed, for 258.00, or computed, for 2.58.
  if (typeof value === 'number' && amounts.decimals !== 0) return String(value);
  const read = typeof value === 'string' ? readAmount(value, amounts) : value;
  return Number.isSafeInteger(read) ? read : value;
}

function readObject(value: object, schema: Schema | undefined, field: string, reading: Reading): unknown {
  const fields: [string, unknown][] = [];
  for (const [key, inside] of Object.entries(value)) {
    if (field === '' && reading.ignore.includes(key)) {
      reading.leftOut.push(key);
      continue;
    }
    const part = schemaAt(schema, key);
    let read = readValue(inside, part, fieldIn(field, key), reading);
    // A cart is required, and one whose fields are all blank is still a cart.
    if (part && defOf(part).type === 'object' && !isBlank(inside)) read ??= {};
    if (read !== undefined) fields.push([key, read]);
  }
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function readList(value: object, schema: Schema | undefined, field: string, reading: Reading): unknown {
  const { leftOut, lineKeys } = reading;
  const lines = new Map<string, unknown>();
  for (const [key, line] of Object.entries(value)) {
    const before = leftOut.length;
    const isNew = /\bitems$/.test(field) && isUntouched(line, reading.newLine, reading);
    const read = isNew ? undefined : readValue(line, schemaAt(schema, key), fieldIn(field, key), reading);
    if (read !== undefined) lines.set(key, read);
    else leftOut.splice(before, Infinity, fieldIn(field, key));
  }
  const list = [...lines.values()];
  lineKeys.set(list, [...lines.keys()]);
  if (list.length > 0) return list;
  // Whether an empty list removes the lines of an order is undocumented.
  leftOut.push(field);
  return undefined;
}

/** Whether a value is blank or that of a new line, and so is all that it holds. */
function isUntouched(value: unknown, declared: unknown, reading: Reading): boolean {
  if (++reading.values > maxValues) throw new RangeError();
  if (isBlank(value)) return true;
  return isPlainObject(value) || Array.isArray(value)
    ? Object.entries(value).every(([name, each]) => isUntouched(each, (declared as Fields)?.[name], reading))
    : // What is declared as a number, a page holds as text.
      typeof declared !== 'object' && String(value) === String(declared ?? '');
}

function isFormData(form: unknown): form is Iterable<readonly [string, unknown]> {
  return typeof (form as { getAll?: unknown } | null | undefined)?.getAll === 'function';
}

/**
 * Nests fields by their names, `cart.items.0.sku` or `cart[items][0][sku]`. At the top only fields of the schema are kept,
 * and what was very likely meant as one: frameworks add names of their own.
 */
function nestEntries(
  entries: Iterable<readonly [string, unknown]>,
  schema: Schema,
  { ignore, leftOut, ambiguous }: Reading,
): object {
  const named = [...entries].map(([name, value]) => ({
    name,
    keys: name.match(/[^.[\]]+/g) ?? [],
    value,
  }));
  const model = coreOf(schema);
  const def = defOf(model);
  // A schema that names no field takes any.
  const isOpen = def.type !== 'object' || !Object.keys(def.shape)[0];
  const names = Object.fromEntries(named.map(({ keys }) => [keys[0] ?? '', 0]));
  const typos = new Set(findFieldTypos(model, names).map(({ path }) => path[0]));
  // Spring names the hidden companion of a check box `_require_shipping`.
  const isSent = (name = ''): boolean =>
    !ignore.includes(name) && (isOpen || !!schemaAt(model, name) || (typos.has(name) && name[0] !== '_'));

  const fields = new Map<string, { readonly keys: readonly string[]; readonly values: Set<unknown> }>();
  const others = new Set<string>();
  for (const { name, keys, value } of named) {
    const field = keys.join('.');
    if (!isSent(keys[0])) others.add(name);
    else
      fields
        .set(field, fields.get(field) ?? { keys, values: new Set() })
        .get(field)
        ?.values.add(value);
  }
  leftOut.push(...others);

  // Without a prototype, no name leads out of the form.
  const form: Record<string, unknown> = Object.create(null);
  for (const { keys, values } of fields.values()) {
    const value = oneOf([...values], keys.reduce<Schema | undefined>(schemaAt, schema));
    const last = keys.length - 1;
    let object = form;
    for (const [depth, key] of keys.entries()) {
      if (depth < last) object[key] ??= Object.create(null);
      // A field stands beside fields inside it, in either order, or has two values.
      const isGroup = isNested(object[key]);
      if (depth < last ? !isGroup : isGroup || value.length > 1) {
        ambiguous.add(keys.slice(0, depth + 1).join('.'));
        break;
      }
      if (depth === last) object[key] = value[0];
      else object = object[key] as typeof form;
    }
  }
  return form;
}

/** Whether names of a form were nested in this object. */
const isNested = (value: unknown): boolean => isPlainObject(value) && !Object.getPrototypeOf(value);

/** The values of a field. Those of a check box and its hidden companion are one choice, in either order. */
function oneOf(values: readonly unknown[], schema: Schema | undefined): readonly unknown[] {
  if (values.length < 2 || kindOf(schema, '', wholeNumber).type !== 'boolean') return values;
  const made = values.filter((value) => !isBlank(value)).map(readChoice);
  return made.includes(undefined) ? values : [made.includes(true)];
}

/** The reason why text is not an amount. */
export type AmountProblem = 'invalid_amount' | 'group_separator' | 'too_many_decimals' | 'unknown_decimals';

/** Digits with a sign, a mark and decimals, or without. */
const numeral = /^(-?)(\d+)(?:([.,])(\d+))?$/;

/** The characters that group digits, by the one that is declared. */
const groupMarks = { '.': '[.]', ',': ',', ' ': '\\s', "'": "['ʼ‘’′]" };

/**
 * Reads an amount as the integer that is sent, by its digits alone: nothing is rounded or dropped. The result is not a
 * safe integer when JavaScript cannot hold it exactly.
 */
export function readAmount(
  text: string,
  { decimals, decimalSeparator, groupSeparator }: AmountFormat,
): number | AmountProblem {
  if (decimals === undefined) return 'unknown_decimals';
  const written = groupSeparator ? withoutGroups(text.trim(), groupMarks[groupSeparator]) : text.trim();
  const [, sign, whole = '', mark = decimalSeparator, fraction = ''] = numeral.exec(written) ?? [];
  if (sign === undefined)
    return new RegExp(`^-?\\d(?:${Object.values(groupMarks).join('|')}|\\d)*\\d$`).test(written)
      ? 'group_separator'
      : 'invalid_amount';
  // The other mark may group digits: "1,299" may be 1299, unless at most two decimals can follow.
  const isOther = mark !== decimalSeparator;
  if (isOther && groupSeparator) return 'group_separator';
  if (fraction.length > decimals) return 'too_many_decimals';
  if (isOther && decimals > 2) return 'group_separator';
  // Adding 0 turns -0 into 0.
  return Number(sign + whole + fraction.padEnd(decimals, '0')) + 0;
}

/** Removes the marks between groups of three digits; commas also between those of two and then three, as in India. */
function withoutGroups(text: string, mark: string): string {
  const threes = `[1-9]\\d{0,2}(?:${mark}\\d{3})+`;
  const groups = mark === ',' ? `${threes}|[1-9]\\d?(?:,\\d\\d)+,\\d{3}` : threes;
  return text.replace(new RegExp(`^-?(${groups})(?!${mark}|\\d)`), (whole) => whole.replace(/[^-\d]/g, ''));
}

/** Writes the integer that is sent, as `readAmount` reads it. */
export function formatAmount(amount: number, { decimals = 0, decimalSeparator }: AmountFormat): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  return (
    (amount < 0 ? '-' : '') + digits.slice(0, end) + (decimals ? decimalSeparator + digits.slice(end) : '')
  );
}
