import type * as z from 'zod/mini';
import { currencyCodes } from './currency-codes.ts';
import { boolean, currencyCode, integer, limitedString, returnUrl, string, webUrl } from './field-types.ts';
import { jsonBody } from './json-body.ts';
import { list, openObject, optional } from './zod-internals.ts';

/** The type of a cart line. The API reference uses these two and lists no others, so any string passes. */
export type CartItemType = 'physical' | 'shipping_fee' | (string & {});

/** The fields of a cart line. */
export const cartItemShape = {
  /** Type of the line, such as `physical` or `shipping_fee`; any string passes. */
  type: optional(string() as unknown as z.ZodMiniType<CartItemType, CartItemType>),
  /** Stock keeping identifier. */
  sku: optional(string()),
  /** Display name. */
  name: optional(string()),
  /** Count of units: an integer of any sign. */
  quantity: optional(integer()),
  /** Price of one unit: an integer of any sign, in an undocumented unit. */
  unit_price: optional(integer()),
  /** Discount: an integer of any sign, in an undocumented unit. */
  discount_rate: optional(integer()),
  /** VAT amount: an integer of any sign, in an undocumented unit. */
  vat_amount: optional(integer()),
};

/** The fields of a cart whose lines have these fields. */
export function cartShape<Item extends z.core.$ZodLooseShape>(item: Item) {
  return {
    /** The lines of the cart. */
    items: optional(list(openObject(item))),
  };
}

/** The URLs of an order. */
export const hooksShape = {
  /** Where the user returns after success: an absolute URL, also of an app (`myapp://paid`). */
  user_return_url_on_success: optional(returnUrl()),
  /** Where the user returns after failure: an absolute URL, also of an app. */
  user_return_url_on_fail: optional(returnUrl()),
  /** URL of the merchant's terms: http or https. */
  terms_url: optional(webUrl()),
  /** URL that receives webhook calls: http or https. */
  webhook_url: optional(webUrl()),
};

/** The fields of an order update, made of the parts that `defineOrderUpdate` can change. */
export function orderUpdateShape<Cart extends z.core.$ZodType, Hooks extends z.core.$ZodType>(parts: {
  readonly cart: Cart;
  readonly hooks: Hooks;
  readonly currencies: readonly string[];
}) {
  return {
    /** The merchant's own unique identifier for the order: at most 255 characters. */
    order_id: optional(limitedString()),
    /** An ISO 4217 code. Which codes the API accepts is undocumented. */
    purchase_currency: optional(currencyCode(parts.currencies)),
    /** The cart: the only required field. */
    cart: parts.cart,
    /** Whether the order requires shipping. */
    require_shipping: optional(boolean()),
    /** Whether the order requires express shipping. */
    express_shipping: optional(boolean()),
    /** The shipping address: an object of undocumented fields. */
    shipping_address: optional(openObject({}) as unknown as z.ZodMiniType<object, object>),
    /** The return URLs of the user, and the URL for webhook calls. */
    hooks: optional(parts.hooks),
    /** In the request example of the API reference, but not described. */
    user_session_id: optional(string()),
    /** In the request example of the API reference, but not described. */
    user_identifier: optional(string()),
  };
}

const cartModel = /* @__PURE__ */ openObject(/* @__PURE__ */ cartShape(cartItemShape));

const orderUpdateModel = /* @__PURE__ */ openObject(
  /* @__PURE__ */ orderUpdateShape({
    cart: cartModel,
    hooks: /* @__PURE__ */ openObject(hooksShape),
    currencies: currencyCodes,
  }),
);

/** One line of a cart. The API reference requires none of its fields. */
export interface CartItem extends z.infer<ReturnType<typeof openObject<typeof cartItemShape>>> {}

/** Checks one line of a cart, for a form that edits lines one by one. */
export const CartItem: z.ZodMiniType<CartItem, CartItem> = /* @__PURE__ */ jsonBody(
  /* @__PURE__ */ openObject(cartItemShape),
);

/** A cart. `items` is optional. */
export interface Cart extends z.infer<typeof cartModel> {}

/** Checks a cart. */
export const Cart: z.ZodMiniType<Cart, Cart> = /* @__PURE__ */ jsonBody(cartModel);

/** The URLs of an order. The API reference requires none of them. */
export interface Hooks extends z.infer<ReturnType<typeof openObject<typeof hooksShape>>> {}

/** Checks the URLs of an order. */
export const Hooks: z.ZodMiniType<Hooks, Hooks> = /* @__PURE__ */ jsonBody(
  /* @__PURE__ */ openObject(hooksShape),
);

/**
 * The body of an order update. TypeScript refuses literals with unknown fields, to catch misspellings; at run time
 * unknown fields pass and are sent as given.
 */
export interface OrderUpdate extends z.infer<typeof orderUpdateModel> {}

/**
 * Checks the body of an order update by the rules of the API reference. Only `cart` is required, and optional fields are
 * not nullable. Unknown fields pass at every level, except for likely mistakes: a misspelled or misplaced field. What
 * JSON cannot hold is an issue too. `explain` lists the issues with paths and hints.
 */
export const OrderUpdate: z.ZodMiniType<OrderUpdate, OrderUpdate> =
  /* @__PURE__ */ jsonBody<OrderUpdate>(orderUpdateModel);
