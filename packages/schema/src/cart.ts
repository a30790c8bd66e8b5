import * as z from 'zod/mini';
import { bodySchema } from './body-schema.ts';
import { integer } from './integer.ts';
import { list, openObject, string } from './model-types.ts';

/** The item types that the interface document shows; its full list is not shown, so any string passes. */
export type CartItemType = 'physical' | 'shipping_fee' | (string & {});

/** The fields of a cart line. Integers may have any sign, and their unit is not shown. */
export const cartItemShape = {
  /** Kind of the line: `physical` and `shipping_fee` are shown, other strings pass. */
  type: z.optional(string() as unknown as z.ZodMiniType<CartItemType, CartItemType>),
  /** Stock keeping identifier of the line. */
  sku: z.optional(string()),
  /** Display name of the line. */
  name: z.optional(string()),
  /** Count of units: an integer. */
  quantity: z.optional(integer()),
  /** Price of one unit: an integer, in a unit that is not shown. */
  unit_price: z.optional(integer()),
  /** Discount on the line: an integer, in a unit that is not shown. */
  discount_rate: z.optional(integer()),
  /** V.A.T. amount of the line: an integer, in a unit that is not shown. */
  vat_amount: z.optional(integer()),
};

/** The fields of a cart whose lines have these fields. */
export function cartShape<Item extends z.core.$ZodLooseShape>(item: Item) {
  return {
    /** The list of lines in the cart. */
    items: z.optional(list(openObject(item))),
  };
}

/** The fields of a cart by themselves, to be part of other models. */
export const cartModel = /* @__PURE__ */ openObject(/* @__PURE__ */ cartShape(cartItemShape));

/** One line of a cart (interface document, Cart item). Which fields are required is not shown: none is. */
export interface CartItem extends z.infer<ReturnType<typeof openObject<typeof cartItemShape>>> {}

/** A cart (interface document, Cart). Whether `items` is required is not shown: it is not. */
export interface Cart extends z.infer<typeof cartModel> {}

/** Checks one line of a cart by itself, for a form that edits lines one by one. */
export const CartItem: z.ZodMiniType<CartItem, CartItem> = /* @__PURE__ */ bodySchema(
  /* @__PURE__ */ openObject(cartItemShape),
);

/** Checks a cart by itself. */
export const Cart: z.ZodMiniType<Cart, Cart> = /* @__PURE__ */ bodySchema(cartModel);
