import type fc from 'fast-check';
import type { Definition, NoDefinition, OwnFieldValues, UpdateOf } from './definition.ts';
import { createOrderModel, type Level } from './order-model.ts';
import { validBodies } from './valid-bodies.ts';

/** What valid updates look like; every option may be left out. */
export interface OrderUpdatesOptions<D extends Definition = NoDefinition> {
  /** What was given to `defineOrderUpdate`: its names, currencies and fields then occur. @default nothing is defined */
  readonly definition?: D;
  /**
   * Values of the definition's own fields, by where it adds them: `{ order: { channel: fc.constantFrom('web') } }`.
   * An optional field without values does not occur; a required one must have some. @default none
   */
  readonly values?: OwnFieldValues<D>;
  /** Whether fields occur that neither document nor definition names. @default true */
  readonly unknownFields?: boolean;
  /** The most lines that a cart has. @default 5 */
  readonly maxItems?: number;
}

/**
 * Bodies of order updates that `OrderUpdate` takes, or the schema of the same definition, and that JSON text carries
 * unchanged (interface document, Order).
 *
 * Each documented field is sometimes there and sometimes not, often with a boundary of its rule: an `order_id` of 0, 1
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
 * // The code under test: what comes out of storage is what went in.
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
 * Carts by themselves, as `Cart` of `@orders/schema` takes them (interface document, Cart): `{}` among them.
 *
 * @throws {TypeError} As `orderUpdates` does.
 *
 * @example
 * ```ts
 * import { carts } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(fc.property(carts({ maxItems: 2 }), ({ items = [] }) => items.length <= 2));
 * ```
 */
export function carts<const D extends Definition = NoDefinition>(
  options: OrderUpdatesOptions<D> = {},
): fc.Arbitrary<UpdateOf<D>['cart']> {
  return bodiesOf('cart', options) as fc.Arbitrary<UpdateOf<D>['cart']>;
}

/**
 * Lines of a cart by themselves, as `CartItem` of `@orders/schema` takes them (interface document, Cart item): none of
 * their fields is always there, amounts may have either sign, and any text may be a `type`.
 *
 * @throws {TypeError} As `orderUpdates` does.
 *
 * @example
 * ```ts
 * import { cartItems } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(fc.property(cartItems(), ({ quantity = 0 }) => Number.isSafeInteger(quantity)));
 * ```
 */
export function cartItems<const D extends Definition = NoDefinition>(
  options: OrderUpdatesOptions<D> = {},
): fc.Arbitrary<CartItemOf<D>> {
  return bodiesOf('item', options) as fc.Arbitrary<CartItemOf<D>>;
}

/** A line of the cart that a definition describes. */
export type CartItemOf<D extends Definition> = NonNullable<UpdateOf<D>['cart']['items']>[number];

/** The types that a model leads to are beyond the compiler: a test holds them against the schema. */
function bodiesOf<D extends Definition>(
  level: Level,
  options: OrderUpdatesOptions<D>,
): fc.Arbitrary<unknown> {
  const { definition, values, unknownFields = true, maxItems = 5 } = options;
  return validBodies(level, createOrderModel(definition, values), { unknownFields, maxItems });
}
