import { checkOptions } from '@orders/schema/check-options';
import fc from 'fast-check';
import {
  createOrderModel,
  type Definition,
  type FieldKind,
  type Level,
  type NoDefinition,
  type OrderModel,
  type OwnFieldValues,
  type UpdateOf,
  unknownNames,
} from './order-model.ts';
import {
  integersWithin,
  jsonObjects,
  jsonValues,
  limitedTexts,
  returnUrls,
  texts,
  webUrls,
} from './values.ts';

/** What valid updates look like; every option may be left out. */
export interface OrderUpdatesOptions<D extends Definition = NoDefinition> {
  /** What was given to `defineOrderUpdate`: its names, currencies and fields then occur. @default nothing is defined */
  readonly definition?: D | undefined;
  /**
   * Values of the definition's own fields, by where it adds them: `{ order: { channel: fc.constantFrom('web') } }`.
   * An optional field without values does not occur; a required one must have some. @default none
   */
  readonly values?: OwnFieldValues<D> | undefined;
  /** Whether fields occur that neither the API nor the definition documents. @default true */
  readonly unknownFields?: boolean | undefined;
  /** The most lines that a cart has. @default 5 */
  readonly maxItems?: number | undefined;
}

/**
 * Bodies of order updates that `OrderUpdate` accepts, or the schema of the same definition, and that JSON text carries
 * unchanged.
 *
 * Every documented field is present in some and absent in others, often at a boundary of its rule: an `order_id` of 0, 1
 * and 255 code points, integers of either sign up to the largest, placeholders in URLs, an empty cart. They shrink
 * towards `{ cart: {} }`.
 *
 * @throws {TypeError} When an option cannot be used, or a field that the definition requires has no values.
 *
 * @example
 * ```ts
 * import { orderUpdates } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * // The code under test: an update is read from storage as it was written.
 * const store = new Map<string, string>();
 * fc.assert(
 *   fc.property(orderUpdates({ definition: { totalAmount: 'total' } }), (update) => {
 *     store.set('order', JSON.stringify(update));
 *     const { total } = JSON.parse(store.get('order') ?? '');
 *     return total === update.total;
 *   }),
 * );
 * ```
 */
export function orderUpdates<const D extends Definition = NoDefinition>(
  options: OrderUpdatesOptions<D> = {},
): fc.Arbitrary<UpdateOf<D>> {
  return bodiesOf('order', options) as fc.Arbitrary<UpdateOf<D>>;
}

/**
 * Carts that `Cart` of `@orders/schema` accepts: `{}` among them.
 *
 * @throws {TypeError} As `orderUpdates` does.
 */
export function carts<const D extends Definition = NoDefinition>(
  options: OrderUpdatesOptions<D> = {},
): fc.Arbitrary<UpdateOf<D>['cart']> {
  return bodiesOf('cart', options) as fc.Arbitrary<UpdateOf<D>['cart']>;
}

/**
 * Cart lines that `CartItem` of `@orders/schema` accepts: every field may be absent, amounts may have either sign, and a
 * `type` may be any text.
 *
 * @throws {TypeError} As `orderUpdates` does.
 */
export function cartItems<const D extends Definition = NoDefinition>(
  options: OrderUpdatesOptions<D> = {},
): fc.Arbitrary<CartItemOf<D>> {
  return bodiesOf('item', options) as fc.Arbitrary<CartItemOf<D>>;
}

/** A line of the cart that a definition describes. */
export type CartItemOf<D extends Definition> = NonNullable<UpdateOf<D>['cart']['items']>[number];

const OPTIONS = ['definition', 'values', 'unknownFields', 'maxItems'];

function bodiesOf<D extends Definition>(
  level: Level,
  options: OrderUpdatesOptions<D>,
): fc.Arbitrary<unknown> {
  checkOptions('orderUpdates', options, OPTIONS);
  const { definition, values, unknownFields, maxItems } = options;
  return validBodies(level, createOrderModel(definition, values), { unknownFields, maxItems });
}

export type Fields = Readonly<Record<string, unknown>>;

/** Valid values of one of the objects of an update. */
export function validBodies(
  level: Level,
  model: OrderModel,
  limits: Pick<OrderUpdatesOptions, 'unknownFields' | 'maxItems'> = {},
): fc.Arbitrary<Fields> {
  const { unknownFields = true, maxItems = 5 } = limits;
  if (!Number.isInteger(maxItems) || maxItems < 0) {
    throw new TypeError(`maxItems: ${maxItems} cannot be used; give a whole number from 0.`);
  }
  const text = texts();
  const kinds: Readonly<Record<Exclude<FieldKind, 'own'>, () => fc.Arbitrary<unknown>>> = {
    text: () => text,
    limited_text: limitedTexts,
    currency: () => fc.constantFrom(...model.currencies),
    item_type: () => fc.oneof(fc.constantFrom('physical', 'shipping_fee', 'digital', ''), text),
    boolean: fc.boolean,
    integer: () => integersWithin(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    int32: () => integersWithin(-(2 ** 31), 2 ** 31 - 1),
    object: () => jsonObjects(),
    cart: () => objectOf('cart'),
    items: () => fc.array(objectOf('item'), { maxLength: maxItems }),
    hooks: () => objectOf('hooks'),
    return_url: returnUrls,
    web_url: webUrls,
  };
  const objectOf = (level: Level): fc.Arbitrary<Fields> => {
    const known: Record<string, fc.Arbitrary<unknown>> = {};
    const requiredKeys: string[] = [];
    for (const { name, kind, isRequired, values } of model.fields[level]) {
      const arbitrary = kind === 'own' ? values : kinds[kind]();
      if (arbitrary !== undefined) known[name] = arbitrary;
      else if (isRequired) throw new TypeError(missingValues(level, name));
      if (isRequired) requiredKeys.push(name);
    }
    const fields = fc.record(known, { requiredKeys, noNullPrototype: true });
    return unknownFields ? withUnknownFields(fields, unknownNames(model, level)) : fields;
  };
  return objectOf(level);
}

function withUnknownFields(known: fc.Arbitrary<Fields>, names: fc.Arbitrary<string>): fc.Arbitrary<Fields> {
  const unknown = fc.option(
    fc.dictionary(names, jsonValues(), { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    { freq: 2, nil: undefined },
  );
  return fc.tuple(known, unknown).map(([fields, more]) => ({ ...fields, ...more }));
}

function missingValues(level: Level, name: string): string {
  const key = JSON.stringify(name);
  const values = `values: { ${level}: { ${key}: an arbitrary of fast-check } }`;
  return `The definition requires the field ${key}, and only its schema knows what it may hold: give ${values}.`;
}
