import * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { type Cart, type CartItem, cartItemShape, cartShape } from './cart.ts';
import { currencyCodes } from './currency-codes.ts';
import { show } from './hints.ts';
import { type Hooks, hooksShape } from './hooks.ts';
import { int32 } from './integer.ts';
import { openObject, string } from './model-types.ts';
import { limitedString, type OrderUpdate, orderUpdateShape } from './order-update.ts';
import { isSchema } from './zod-internals.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;
type NoFields = Record<never, never>;

/** A schema of order updates: `OrderUpdate`, or what `defineOrderUpdate` made of it. */
export type OrderUpdateSchema<Update extends OrderUpdate = OrderUpdate> = z.ZodMiniType<Update, Update>;

/** What `defineOrderUpdate` takes: the names that the interface document leaves out, and fields of your own. */
export interface OrderUpdateDefinition<
  Metadata extends string = never,
  TotalAmount extends string = never,
  VatAmount extends string = never,
  QrSessionId extends string = never,
  Extra extends Shape = NoFields,
  CartExtra extends Shape = NoFields,
  CartItemExtra extends Shape = NoFields,
  HooksExtra extends Shape = NoFields,
> {
  /** Names of the two free-form strings, each at most 255 characters (interface document, Order). */
  readonly metadata?: readonly [Metadata] | readonly [Metadata, Metadata];
  /** Name of the total order amount including V.A.T.: an int32, in a unit that is not shown. */
  readonly totalAmount?: TotalAmount;
  /** Name of the V.A.T. amount: an int32, in a unit that is not shown. */
  readonly vatAmount?: VatAmount;
  /** Name of the session identifier that `start_qr_session` carries, sent when the order is a QR payment. */
  readonly qrSessionId?: QrSessionId;
  /**
   * The currency codes that pass, in place of the list of ISO 4217: narrower or wider.
   * @default currencyCodes
   */
  readonly currencies?: readonly string[];
  /**
   * More fields at top level, each with a zod schema, which sees plain JSON. Fields are checked, not changed: a
   * transform, or a default, has no effect.
   */
  readonly extra?: Extra;
  /** More fields of the cart. */
  readonly cartExtra?: CartExtra;
  /** More fields of a cart line. */
  readonly cartItemExtra?: CartItemExtra;
  /** More fields of the hooks. */
  readonly hooksExtra?: HooksExtra;
}

/** The fields of a shape, typed by what may be given: nothing is transformed. */
type Fields<S extends Shape> = keyof S extends never ? unknown : z.input<z.ZodMiniObject<S, z.core.$strip>>;

/** An order update with the names and the fields of a definition. */
export type DefinedOrderUpdate<
  Texts extends string,
  Amounts extends string,
  Extra extends Shape,
  CartExtra extends Shape,
  CartItemExtra extends Shape,
  HooksExtra extends Shape,
> = Omit<OrderUpdate, 'cart' | 'hooks'> & {
  cart: Omit<Cart, 'items'> & {
    items?: (CartItem & Fields<CartItemExtra>)[] | undefined;
  } & Fields<CartExtra>;
  hooks?: (Hooks & Fields<HooksExtra>) | undefined;
} & { [Name in Texts]?: string | undefined } & { [Name in Amounts]?: number | undefined } & Fields<Extra>;

/**
 * Makes the schema of your order updates: gives names to the fields that the interface document describes without
 * naming them, replaces the list of currencies, and declares fields of your own. A declared field is never taken for a
 * misspelling.
 *
 * @throws TypeError when an option has the wrong type, when there are more than two metadata names, when a name is empty,
 * given twice, that of a documented field or of what every object has, and when `currencies` is empty.
 */
export function defineOrderUpdate<
  const Metadata extends string = never,
  const TotalAmount extends string = never,
  const VatAmount extends string = never,
  const QrSessionId extends string = never,
  Extra extends Shape = NoFields,
  CartExtra extends Shape = NoFields,
  CartItemExtra extends Shape = NoFields,
  HooksExtra extends Shape = NoFields,
>(
  definition: OrderUpdateDefinition<
    Metadata,
    TotalAmount,
    VatAmount,
    QrSessionId,
    Extra,
    CartExtra,
    CartItemExtra,
    HooksExtra
  > = {},
): OrderUpdateSchema<
  DefinedOrderUpdate<
    Metadata | QrSessionId,
    TotalAmount | VatAmount,
    Extra,
    CartExtra,
    CartItemExtra,
    HooksExtra
  >
> {
  checkDefinition(definition);
  const { metadata = [], totalAmount, vatAmount, qrSessionId, currencies = currencyCodes } = definition;
  const { extra, cartExtra, cartItemExtra, hooksExtra } = definition;
  const documented = orderUpdateShape({
    cart: openObject(
      merge(cartShape(merge(cartItemShape, cartItemExtra, 'cartItemExtra')), cartExtra, 'cartExtra'),
    ),
    hooks: openObject(merge(hooksShape, hooksExtra, 'hooksExtra')),
    currencies,
  });
  const named: [string | undefined, z.ZodMiniType][] = [
    ...metadata.map((name): [string, z.ZodMiniType] => [name, limitedString()]),
    [totalAmount, int32()],
    [vatAmount, int32()],
    [qrSessionId, string()],
  ];
  let shape: Shape = merge(documented, extra, 'extra');
  for (const [name, schema] of named) {
    if (name !== undefined) shape = merge(shape, { [name]: z.optional(schema) });
  }
  return bodySchema(openObject(shape));
}

/** Refuses what TypeScript refuses, for callers without it. */
function checkDefinition(definition: unknown): void {
  if (!isPlainObject(definition)) {
    throw wrong('defineOrderUpdate: Expected an object', definition, 'Write { metadata: ["note"] }.');
  }
  const { metadata = [], currencies = currencyCodes } = definition;
  checkTexts('metadata', metadata, '"note"');
  if (metadata.length > 2) {
    throw wrong('metadata: Expected one or two names', metadata.length, 'Declare other fields in extra.');
  }
  checkTexts('currencies', currencies, '"EUR"');
  if (currencies.length === 0 || currencies.includes('')) {
    throw new TypeError(
      'currencies: Expected at least one code, and no empty one. Write ["EUR"], or leave it out.',
    );
  }
  for (const [option, example] of Object.entries({
    totalAmount: '"total"',
    vatAmount: '"vat"',
    qrSessionId: '"qr_session"',
  })) {
    const name = definition[option];
    if (name !== undefined) checkTexts(option, [name], example);
  }
}

function checkTexts(option: string, list: unknown, example: string): asserts list is readonly string[] {
  if (!Array.isArray(list)) {
    const meant = typeof list === 'string' ? show(list) : example;
    throw wrong(`${option}: Expected a list of strings`, list, `Write [${meant}].`);
  }
  for (const text of list) {
    if (typeof text !== 'string') {
      throw wrong(`${option}: Expected a string`, text, `Write ${example}, for example.`);
    }
  }
}

/** The fields that are documented, and those that an option adds. */
function merge(documented: Shape, more: unknown = {}, option = ''): Shape {
  const advice = 'Write schemas of zod 4 by field name, such as { note: z.string() }.';
  if (!isPlainObject(more)) throw wrong(`${option}: Expected a plain object`, more, advice);
  for (const [name, schema] of Object.entries(more)) {
    // What every object inherits would be found in a body that does not have it.
    if (name === '' || name in {}) {
      throw new TypeError(
        `A field cannot be named ${JSON.stringify(name)}. Write the name that the API uses.`,
      );
    }
    if (Object.hasOwn(documented, name)) {
      throw new TypeError(`The field ${name} is defined already: give each field a name of its own.`);
    }
    if (!isSchema(schema)) throw wrong(`${option}.${name}: Expected a schema`, schema, advice);
  }
  return { ...documented, ...(more as Shape) };
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The `Object.prototype` of another realm is not ours.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function wrong(problem: string, given: unknown, advice: string): TypeError {
  const found = isSchema(given) ? 'a schema' : typeof given === 'function' ? 'a function' : show(given);
  return new TypeError(`${problem}, got ${found}. ${advice}`);
}
