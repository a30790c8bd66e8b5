import * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { cartModel } from './cart.ts';
import { currencyCodes } from './currency-codes.ts';
import { show } from './hints.ts';
import { hooksShape } from './hooks.ts';
import { openObject, string } from './model-types.ts';
import { rule } from './rule.ts';

/** The length limit of `order_id` and of both metadata strings (interface document, Limits). */
const maxLength = 255;

/** A string of at most 255 characters: code points, not UTF-16 units, so 255 emoji pass. */
export function limitedString(): z.ZodMiniString {
  return string().check(
    rule({ maxLength }, (text) => {
      const excess = text.length > maxLength ? [...text].length - maxLength : 0;
      return excess > 0
        ? {
            rule: 'too_long',
            message: `Expected at most ${maxLength} characters, got ${maxLength + excess}`,
            hint: `Shorten it by ${excess}.`,
          }
        : undefined;
    }),
  );
}

function currencyCode(currencies: readonly string[]): z.ZodMiniString {
  const known = new Set(currencies);
  const codes = [...known];
  const [first] = codes;
  const [expected, advice] =
    currencies === currencyCodes
      ? ['an ISO 4217 currency code', `a listed ISO 4217 code such as "${first}"`]
      : codes.length > 9
        ? [`one of ${codes.length} listed currency codes`, `a listed code such as "${first}"`]
        : [(codes.length > 1 ? 'one of ' : '') + codes.join(', '), codes.join(' or ')];
  return string().check(
    rule({ enum: codes }, (code) => {
      if (known.has(code)) return undefined;
      const meant = code.trim().toUpperCase();
      return {
        rule: 'unknown_currency',
        message: `Expected ${expected}, got ${show(code)}`,
        hint: `Write ${known.has(meant) ? `"${meant}"` : advice}.`,
      };
    }),
  );
}

/** Makes the fields of an order update out of the parts that `defineOrderUpdate` can change. */
export function orderUpdateShape<Cart extends z.core.$ZodType, Hooks extends z.core.$ZodType>(parts: {
  readonly cart: Cart;
  readonly hooks: Hooks;
  readonly currencies: readonly string[];
}) {
  return {
    /** The merchant's own unique identifier for the order: at most 255 characters. */
    order_id: z.optional(limitedString()),
    /** An ISO 4217 alphabetic code. Which codes the service takes is not shown. */
    purchase_currency: z.optional(currencyCode(parts.currencies)),
    /** The cart: the one required field. */
    cart: parts.cart,
    /** Whether the order requires shipping. */
    require_shipping: z.optional(new z.ZodMiniBoolean({ type: 'boolean' })),
    /** Whether the order requires express shipping. */
    express_shipping: z.optional(new z.ZodMiniBoolean({ type: 'boolean' })),
    /** The shipping address: an object whose inner fields are not shown. */
    shipping_address: z.optional(openObject({}) as unknown as z.ZodMiniType<object, object>),
    /** Where the user is returned, and where webhook calls go. */
    hooks: z.optional(parts.hooks),
    /** Appears in the request example; its meaning is not shown. */
    user_session_id: z.optional(string()),
    /** Appears in the request example; its meaning is not shown. */
    user_identifier: z.optional(string()),
  };
}

const model = /* @__PURE__ */ openObject(
  /* @__PURE__ */ orderUpdateShape({
    cart: cartModel,
    hooks: /* @__PURE__ */ openObject(hooksShape),
    currencies: currencyCodes,
  }),
);

/**
 * The body of an order update (interface document, Order). Closed in TypeScript, so that a misspelled
 * literal does not compile; unknown fields pass at run time and are sent as given.
 */
export interface OrderUpdate extends z.infer<typeof model> {}

/**
 * Checks the body of an order update. Only `cart` is required; optional is not nullable; unknown
 * fields pass untouched at every level, while likely mistakes (a misspelled or misplaced field) and
 * whatever JSON cannot hold are issues. Pass a failure to `explain` for paths and hints.
 */
export const OrderUpdate: z.ZodMiniType<OrderUpdate, OrderUpdate> =
  /* @__PURE__ */ bodySchema<OrderUpdate>(model);
