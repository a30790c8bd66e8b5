import type { CartItem, Hooks, OrderUpdate } from '@orders/schema';

export const hookNames = [
  'user_return_url_on_success',
  'user_return_url_on_fail',
  'terms_url',
  'webhook_url',
] as const;
export type HookName = (typeof hookNames)[number];

export const numberNames = ['quantity', 'unit_price', 'discount_rate', 'vat_amount'] as const;
export type NumberName = (typeof numberNames)[number];

/** Whether something holds; the empty choice leaves the field out. */
export type Choice = '' | 'yes' | 'no';

/** A line as it is typed. `kind` is the line's `type`, a name that the form library keeps for its errors. */
export interface FormLine extends Record<NumberName, string> {
  kind: string;
  sku: string;
  name: string;
  /** Fields of the line that this form does not show: they are sent as they are. */
  carried: object;
}

/** An order as it is typed: text throughout, and empty text for what is left out. */
export interface OrderForm {
  order_id: string;
  purchase_currency: string;
  require_shipping: Choice;
  express_shipping: Choice;
  cart: { items: FormLine[] };
  hooks: Record<HookName, string>;
}

export const emptyLine: FormLine = {
  kind: 'physical',
  sku: '',
  name: '',
  quantity: '1',
  unit_price: '',
  discount_rate: '',
  vat_amount: '',
  carried: {},
};

/** Tells an update as the text that would be typed for it. */
export function toForm(update: OrderUpdate): OrderForm {
  return {
    order_id: update.order_id ?? '',
    purchase_currency: update.purchase_currency ?? '',
    require_shipping: toChoice(update.require_shipping),
    express_shipping: toChoice(update.express_shipping),
    cart: { items: (update.cart.items ?? []).map(toFormLine) },
    hooks: toFormHooks(update.hooks ?? {}),
  };
}

function toFormLine(item: CartItem): FormLine {
  const { type, sku, name, quantity, unit_price, discount_rate, vat_amount, ...carried } = item;
  return {
    kind: type ?? '',
    sku: sku ?? '',
    name: name ?? '',
    quantity: toText(quantity),
    unit_price: toText(unit_price),
    discount_rate: toText(discount_rate),
    vat_amount: toText(vat_amount),
    carried,
  };
}

function toFormHooks(hooks: Hooks): OrderForm['hooks'] {
  return {
    user_return_url_on_success: hooks.user_return_url_on_success ?? '',
    user_return_url_on_fail: hooks.user_return_url_on_fail ?? '',
    terms_url: hooks.terms_url ?? '',
    webhook_url: hooks.webhook_url ?? '',
  };
}

function toText(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function toChoice(value: boolean | undefined): Choice {
  return value === undefined ? '' : value ? 'yes' : 'no';
}
