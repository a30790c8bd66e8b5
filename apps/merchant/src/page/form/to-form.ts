import { fieldNames } from '../../contract/desk-update.ts';
import type { FormCart, FormHooks, FormLine, OrderForm } from './order-form.ts';
import { isRecord, takeFieldsOf, tellChoice, tellJson, tellNumber, tellText } from './take-fields.ts';

const noCart: FormCart = { items: [], isListed: false, carried: '' };

/**
 * Tells an update as the text that would be typed for it. What no field can hold, such as an object where text
 * belongs, is carried along, so that the schema judges it in the form as well. Never throws on parsed JSON; what is no
 * object is an empty form.
 */
export function toForm(update: unknown): OrderForm {
  const order = takeFieldsOf(isRecord(update) ? update : {});
  const [reference, note] = fieldNames.metadata;
  const text = (name: string) => order.take(name, tellText, '');
  return {
    order_id: text('order_id'),
    purchase_currency: text('purchase_currency'),
    require_shipping: order.take('require_shipping', tellChoice, ''),
    express_shipping: order.take('express_shipping', tellChoice, ''),
    [fieldNames.totalAmount]: order.take(fieldNames.totalAmount, tellNumber, ''),
    [fieldNames.vatAmount]: order.take(fieldNames.vatAmount, tellNumber, ''),
    cart: order.take('cart', toFormCart, noCart),
    shipping_address: order.take('shipping_address', tellJson, ''),
    user_session_id: text('user_session_id'),
    user_identifier: text('user_identifier'),
    [fieldNames.qrSessionId]: text(fieldNames.qrSessionId),
    hooks: order.take('hooks', toFormHooks, formHooks({})),
    [reference]: text(reference),
    [note]: text(note),
    carried: order.left(),
    scanned: '',
  };
}

function toFormCart(cart: unknown): FormCart | undefined {
  if (!isRecord(cart)) return undefined;
  const fields = takeFieldsOf(cart);
  const items = fields.take('items', (value) => (Array.isArray(value) ? value : undefined), undefined);
  return { items: (items ?? []).map(toFormLine), isListed: items !== undefined, carried: fields.left() };
}

function toFormLine(item: unknown): FormLine {
  const fields = takeFieldsOf(isRecord(item) ? item : {});
  return {
    kind: fields.take('type', tellText, ''),
    sku: fields.take('sku', tellText, ''),
    name: fields.take('name', tellText, ''),
    quantity: fields.take('quantity', tellNumber, ''),
    unit_price: fields.take('unit_price', tellNumber, ''),
    discount_rate: fields.take('discount_rate', tellNumber, ''),
    vat_amount: fields.take('vat_amount', tellNumber, ''),
    carried: isRecord(item) ? fields.left() : JSON.stringify(item),
  };
}

function toFormHooks(hooks: unknown): FormHooks | undefined {
  if (!isRecord(hooks)) return undefined;
  // Without fields there is nothing to tell by that hooks were given at all.
  return Object.keys(hooks).length > 0 ? formHooks(hooks) : { ...formHooks({}), carried: '{}' };
}

function formHooks(hooks: object): FormHooks {
  const fields = takeFieldsOf(hooks);
  return {
    user_return_url_on_success: fields.take('user_return_url_on_success', tellText, ''),
    user_return_url_on_fail: fields.take('user_return_url_on_fail', tellText, ''),
    terms_url: fields.take('terms_url', tellText, ''),
    webhook_url: fields.take('webhook_url', tellText, ''),
    carried: fields.left(),
  };
}
