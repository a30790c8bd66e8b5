import { createFormReader } from '@orders/schema/form';
import * as z from 'zod/mini';
import { ShopUpdate } from '../../shared/order-update.ts';
import { amounts } from './amounts.ts';

// A draft of an older version of this page may lack a field.
const text = z.catch(z.string(), '');
const texts = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;

const lineNames = ['type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount'] as const;
const hookNames = [
  'user_return_url_on_success',
  'user_return_url_on_fail',
  'terms_url',
  'webhook_url',
] as const;
const orderNames = [
  'order_id',
  'purchase_currency',
  'require_shipping',
  'express_shipping',
  'user_session_id',
  'user_identifier',
  'total_amount',
  'total_vat_amount',
  'qr_session_id',
  'merchant_reference',
  'merchant_note',
] as const;

/** The fields of an object that the form does not show, as JSON text: they are sent as they are. */
const extra = '_extra';

/** An order as it is typed: text throughout. */
export const OrderForm = z.object({
  ...texts(...orderNames, extra),
  shipping_address: text,
  cart: z.object({ items: z.array(z.object(texts(...lineNames, extra))), ...texts(extra) }),
  hooks: z.object(texts(...hookNames, extra)),
});
export type OrderForm = z.infer<typeof OrderForm>;

export const newLine: OrderForm['cart']['items'][number] = {
  type: 'physical',
  sku: '',
  name: '',
  quantity: '1',
  unit_price: '',
  discount_rate: '',
  vat_amount: '',
  [extra]: '',
};

const reader = createFormReader(ShopUpdate, { amounts, newLine });
const amountNames: readonly string[] = ['unit_price', 'vat_amount', 'total_amount', 'total_vat_amount'];

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Writes an update as the text that would be typed for it. */
export function toForm(update: Fields): OrderForm {
  const { cart, hooks, shipping_address: address, ...order } = update;
  const { items, ...restOfCart } = isObject(cart) ? cart : {};
  const lines = Array.isArray(items) && items.every(isObject) ? items : [];
  return {
    ...toTexts(order, orderNames),
    shipping_address: address === undefined ? '' : JSON.stringify(address, null, 2),
    cart: {
      items: lines.map((line) => toTexts(line, lineNames)),
      // Without lines, the form cannot hold whether there is a list.
      ...toTexts(lines.length > 0 || items === undefined ? restOfCart : { ...restOfCart, items }, []),
    },
    hooks: toTexts(isObject(hooks) ? hooks : {}, hookNames),
  };
}

function toTexts<Name extends string>(object: Fields, names: readonly Name[]) {
  const rest: Record<string, unknown> = { ...object };
  const written = names.map((name) => {
    const value = rest[name];
    const isText = typeof value === 'boolean' || (typeof value === 'string' && value !== '');
    if (!isText && !Number.isSafeInteger(value)) return [name, ''];
    delete rest[name];
    return [name, amountNames.includes(name) && !isText ? reader.formatAmount(Number(value)) : String(value)];
  });
  const left = Object.keys(rest).length > 0 ? JSON.stringify(rest) : '';
  return { ...Object.fromEntries(written), [extra]: left } as Record<Name | typeof extra, string>;
}

/** Reads the form as the update to send, or as the errors of its fields. */
export function readForm(form: OrderForm): { update: ShopUpdate } | { errors: object } {
  const address = parseAddress(form.shipping_address);
  // An address goes around the reader, which would leave out its blank fields.
  const { values, errors } = reader.resolver({
    ...form,
    shipping_address: address ? '' : form.shipping_address,
  });
  if (!('cart' in values)) return { errors };
  const { cart, hooks, ...order } = values;
  const update: ShopUpdate = {
    ...withExtra(order),
    cart: { ...withExtra(cart), ...(cart.items && { items: cart.items.map(withExtra) }) },
    ...(hooks && { hooks: withExtra(hooks) }),
    ...(address && { shipping_address: address }),
  };
  return { update };
}

function parseAddress(json: string): Fields | undefined {
  try {
    const address: unknown = JSON.parse(json);
    return isObject(address) ? address : undefined;
  } catch {
    return undefined;
  }
}

/** What was typed replaces a field of the same name. */
function withExtra<Data extends object>(data: Data & { [extra]?: unknown }): Data {
  const { [extra]: json, ...typed } = data;
  return { ...JSON.parse(String(json || '{}')), ...typed };
}

/** The resolver of react-hook-form. */
export function resolver(form: OrderForm) {
  const read = readForm(form);
  return 'update' in read ? { values: read.update, errors: {} } : { values: {}, errors: read.errors };
}

/** The names of the blank fields, which are left out of the update. */
export const leftOut = (form: OrderForm): readonly string[] =>
  reader.read(form).leftOut.filter((name) => !name.endsWith(extra));

/** The names of amounts that depend on prices, and did not change although these did: nothing calculates them. */
export function staleAmounts(before: OrderForm, now: OrderForm): readonly string[] {
  const pricesOf = ({ unit_price, quantity, discount_rate }: OrderForm['cart']['items'][number]): string =>
    [unit_price, quantity, discount_rate].join();
  const isKept = (one: string | undefined, other: string): boolean => other !== '' && one === other;
  const lines = now.cart.items.flatMap((line, index) => {
    const known = before.cart.items[index];
    const isChanged = known !== undefined && known.sku === line.sku && pricesOf(known) !== pricesOf(line);
    return isChanged && isKept(known.vat_amount, line.vat_amount) ? [`cart.items.${index}.vat_amount`] : [];
  });
  // The sequence of the lines does not count.
  const sumOf = ({ cart }: OrderForm, of: (line: OrderForm['cart']['items'][number]) => string): string =>
    cart.items.map(of).toSorted().join(';');
  const isPriced = sumOf(before, pricesOf) !== sumOf(now, pricesOf);
  const isTaxed =
    isPriced || sumOf(before, ({ vat_amount }) => vat_amount) !== sumOf(now, ({ vat_amount }) => vat_amount);
  return [
    ...lines,
    ...(isPriced && isKept(before.total_amount, now.total_amount) ? ['total_amount'] : []),
    ...(isTaxed && isKept(before.total_vat_amount, now.total_vat_amount) ? ['total_vat_amount'] : []),
  ];
}

/** Whether the form holds an update, however its amounts are typed. */
export function holds(form: OrderForm, update: Fields): boolean {
  const written = canonical(toForm(update));
  if (canonical(form) === written) return true;
  const read = readForm(form);
  return 'update' in read && canonical(toForm(read.update)) === written;
}

/** JSON text in which the order of fields does not count: the database does not keep it. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** The name of a field in the form, from a path such as `cart.items[0].sku`. */
export const toFieldName = (path: string): string => path.replace(/\[(\d+)\]/g, '.$1');
