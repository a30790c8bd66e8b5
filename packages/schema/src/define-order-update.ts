import type * as z from 'zod/mini';
import { checkOptions } from './check-options.ts';
import { isPlainObject } from './clone-json.ts';
import { currencyCodes } from './currency-codes.ts';
import { int32, limitedString, show, string } from './field-types.ts';
import { jsonBody } from './json-body.ts';
import {
  type Cart,
  type CartItem,
  cartItemShape,
  cartShape,
  type Hooks,
  hooksShape,
  type OrderUpdate,
  orderUpdateShape,
} from './order-update.ts';
import { isSchema, openObject, optional } from './zod-internals.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** A schema of order updates: `OrderUpdate`, or one of `defineOrderUpdate`. */
export type OrderUpdateSchema<Update extends OrderUpdate = OrderUpdate> = z.ZodMiniType<Update, Update>;

/** The options of `defineOrderUpdate`. */
export interface OrderUpdateDefinition {
  /**
   * Names of the two free-form metadata strings of the API reference, each of at most 255 characters.
   * @default no names
   */
  readonly metadata?: readonly [] | readonly [string] | readonly [string, string] | undefined;
  /**
   * Name of the total order amount including VAT: an int32, in an undocumented unit.
   * @default no name
   */
  readonly totalAmount?: string | undefined;
  /**
   * Name of the VAT amount: an int32, in an undocumented unit.
   * @default no name
   */
  readonly vatAmount?: string | undefined;
  /**
   * Name of the session identifier, which comes with the webhook `start_qr_session` and is sent when the order is a QR
   * payment.
   * @default no name
   */
  readonly qrSessionId?: string | undefined;
  /**
   * The currency codes that pass, in place of the list of ISO 4217. Literals narrow the type of `purchase_currency`.
   * @default currencyCodes
   */
  readonly currencies?: readonly string[] | undefined;
  /**
   * Fields of your own.
   * @default none
   */
  readonly fields?: OrderUpdateFields | undefined;
}

/**
 * Fields of your own, each with a schema of zod 4, which checks plain JSON. Fields are checked, not changed: a transform
 * or a default has no effect. A declared field is never taken for a misspelled one.
 */
export interface OrderUpdateFields {
  /** Fields at the top of an order. */
  readonly order?: Shape | undefined;
  /** Fields of the cart. */
  readonly cart?: Shape | undefined;
  /** Fields of a cart line. */
  readonly item?: Shape | undefined;
  /** Fields of the hooks. */
  readonly hooks?: Shape | undefined;
}

type NameOf<Definition, Option extends string> = Definition extends {
  readonly [_ in Option]: infer Name extends string;
}
  ? Literal<Name>
  : never;

/** A name that is only known as a string, from a configuration for example, cannot be a field of a type. */
type Literal<Name extends string> = string extends Name ? never : Name;

type ElementOf<Definition, Option extends string, Otherwise> = Definition extends {
  readonly [_ in Option]: readonly (infer Element extends string)[];
}
  ? Element
  : Otherwise;

/** The fields of a shape, typed by what may be given: nothing is transformed. */
type FieldsOf<Definition, Place extends string> = Definition extends {
  readonly fields: { readonly [_ in Place]: infer S extends Shape };
}
  ? z.input<z.ZodMiniObject<S, z.core.$strip>>
  : unknown;

/** The type of an order update with the names, currencies and fields of a definition. */
export type DefinedOrderUpdate<Definition extends OrderUpdateDefinition> = Omit<
  OrderUpdate,
  'purchase_currency' | 'cart' | 'hooks'
> & {
  purchase_currency?: ElementOf<Definition, 'currencies', string> | undefined;
  cart: Omit<Cart, 'items'> & {
    items?: (CartItem & FieldsOf<Definition, 'item'>)[] | undefined;
  } & FieldsOf<Definition, 'cart'>;
  hooks?: (Hooks & FieldsOf<Definition, 'hooks'>) | undefined;
} & {
  [Name in Literal<ElementOf<Definition, 'metadata', never>> | NameOf<Definition, 'qrSessionId'>]?:
    | string
    | undefined;
} & {
  [Name in NameOf<Definition, 'totalAmount'> | NameOf<Definition, 'vatAmount'>]?: number | undefined;
} & FieldsOf<Definition, 'order'>;

/** Makes the compiler refuse unknown options beside known ones, too. */
type OnlyKnown<Given, Known> = { readonly [Name in Exclude<keyof Given, keyof Known>]: never };

type OnlyKnownOptions<Definition> = OnlyKnown<Definition, OrderUpdateDefinition> &
  (Definition extends { readonly fields: infer Fields extends object }
    ? { readonly fields: OnlyKnown<Fields, OrderUpdateFields> }
    : unknown);

/**
 * Makes the schema of your order updates: names the fields that the API reference describes without a name, replaces the
 * list of currencies, and adds fields of your own.
 *
 * @throws TypeError when an option is unknown or has the wrong type; when there are more than two metadata names; when
 * the name of a field is empty, given twice, that of a documented field, or inherited by every object; when `currencies`
 * is empty.
 */
export function defineOrderUpdate<const Definition extends OrderUpdateDefinition = Record<never, never>>(
  definition?: Definition & OnlyKnownOptions<Definition>,
): OrderUpdateSchema<DefinedOrderUpdate<Definition>>;
export function defineOrderUpdate(definition: OrderUpdateDefinition = {}): OrderUpdateSchema {
  checkDefinition(definition);
  const { metadata = [], totalAmount, vatAmount, qrSessionId, currencies = currencyCodes } = definition;
  const { order, cart, item, hooks } = definition.fields ?? {};
  const documented = orderUpdateShape({
    cart: openObject(merge(cartShape(merge(cartItemShape, item, 'fields.item')), cart, 'fields.cart')),
    hooks: openObject(merge(hooksShape, hooks, 'fields.hooks')),
    currencies,
  });
  const named: [string | undefined, z.ZodMiniType][] = [
    ...metadata.map((name): [string, z.ZodMiniType] => [name, limitedString()]),
    [totalAmount, int32()],
    [vatAmount, int32()],
    [qrSessionId, string()],
  ];
  let shape: Shape = merge(documented, order, 'fields.order');
  for (const [name, schema] of named) {
    if (name !== undefined) shape = merge(shape, { [name]: optional(schema) });
  }
  return jsonBody(openObject(shape));
}

const namedFields = ['totalAmount', 'vatAmount', 'qrSessionId'];
const apiName = 'the name that the API uses';

/** Refuses what TypeScript refuses, for callers without it. */
function checkDefinition(definition: unknown): void {
  if (!isPlainObject(definition)) {
    throw invalid(
      'defineOrderUpdate: Expected an object',
      definition,
      'Pass an object of options, or nothing.',
    );
  }
  checkOptions('defineOrderUpdate', definition, ['metadata', ...namedFields, 'currencies', 'fields']);
  const { metadata = [], currencies = currencyCodes, fields = {} } = definition;
  checkTexts('metadata', metadata, apiName);
  if (metadata.length > 2) {
    throw invalid(
      'metadata: Expected at most two names',
      metadata.length,
      'Declare other fields in fields.order.',
    );
  }
  const codes = 'the ISO 4217 code';
  checkTexts('currencies', currencies, codes);
  if (currencies.length === 0) {
    throw new TypeError('currencies: Expected at least one code. List those that you use, or leave it out.');
  }
  for (const code of currencies) {
    if (!/^[A-Z]{3}$/.test(code)) {
      throw invalid('currencies: Expected three capital letters', code, `Write ${codes}.`);
    }
  }
  for (const option of namedFields) {
    const name = definition[option];
    if (name !== undefined) checkTexts(option, [name], apiName);
  }
  if (!isPlainObject(fields)) {
    throw invalid(
      'fields: Expected a plain object',
      fields,
      'Write an object of fields by place: order, cart, item or hooks.',
    );
  }
  checkOptions('defineOrderUpdate: fields', fields, ['order', 'cart', 'item', 'hooks']);
}

function checkTexts(option: string, list: unknown, wanted: string): asserts list is readonly string[] {
  if (!Array.isArray(list)) {
    const meant = typeof list === 'string' ? `[${JSON.stringify(list)}]` : `${wanted}, in a list`;
    throw invalid(`${option}: Expected a list of strings`, list, `Write ${meant}.`);
  }
  for (const text of list) {
    if (typeof text !== 'string') {
      throw invalid(`${option}: Expected a string`, text, `Write ${wanted}, in quotes.`);
    }
  }
}

/** The documented fields, and those that an option adds. */
function merge(documented: Shape, more: unknown = {}, option = ''): Shape {
  const advice = 'Write schemas of zod 4 by field name, such as { note: z.string() }.';
  if (!isPlainObject(more)) throw invalid(`${option}: Expected a plain object`, more, advice);
  for (const [name, schema] of Object.entries(more)) {
    // An inherited property would be found in every body.
    if (name === '' || name in {}) {
      throw new TypeError(
        `A field cannot be named ${JSON.stringify(name)}. Write the name that the API uses.`,
      );
    }
    if (Object.hasOwn(documented, name)) {
      throw new TypeError(`The field ${name} is defined already: give each field a name of its own.`);
    }
    if (!isSchema(schema)) throw invalid(`${option}.${name}: Expected a schema`, schema, advice);
  }
  return { ...documented, ...(more as Shape) };
}

function invalid(problem: string, given: unknown, advice: string): TypeError {
  const found = isSchema(given) ? 'a schema' : typeof given === 'function' ? 'a function' : show(given);
  return new TypeError(`${problem}, got ${found}. ${advice}`);
}
