import type { OrderUpdate } from '@orders/schema';
import { type Choice, type FormLine, hookNames, numberNames, type OrderForm } from './order-form.ts';
import { readNumber } from './read-number.ts';

/**
 * Makes the update out of what was typed: what is empty is left out, and what `base` holds besides
 * the fields of the form is sent along as it is. The result is as good as what was typed: the schema judges it.
 */
export function toOrderUpdate(form: OrderForm, base: OrderUpdate): unknown {
  const { order_id, purchase_currency, cart, require_shipping, express_shipping, hooks, ...carried } = base;
  const items = form.cart.items.map(toItem);
  const { items: itemsBefore, ...cartCarried } = cart;
  const addresses = { ...omit(hooks ?? {}, hookNames), ...filled(form.hooks) };
  return {
    ...filled({ order_id: form.order_id, purchase_currency: form.purchase_currency }),
    cart: { ...cartCarried, ...(items.length > 0 || itemsBefore ? { items } : {}) },
    ...answered({ require_shipping: form.require_shipping, express_shipping: form.express_shipping }),
    ...(Object.keys(addresses).length > 0 ? { hooks: addresses } : {}),
    ...carried,
  };
}

/** The names of the fields that `base` carries along and the form does not show. */
export function carriedNames(base: OrderUpdate): readonly string[] {
  return Object.keys(
    omit(base, ['order_id', 'purchase_currency', 'cart', 'require_shipping', 'express_shipping', 'hooks']),
  );
}

function toItem({ kind, sku, name, carried, ...numbers }: FormLine): object {
  const item: Record<string, unknown> = filled({ type: kind, sku, name });
  for (const field of numberNames) {
    if (numbers[field].trim() !== '') item[field] = readNumber(numbers[field]);
  }
  return { ...item, ...carried };
}

function filled(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
}

function answered(fields: Readonly<Record<string, Choice>>): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, choice]) => choice !== '')
      .map(([name, choice]) => [name, choice === 'yes']),
  );
}

function omit(fields: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
