import { readJsonValue } from '@orders/schema/file';
import { createFormReader } from '@orders/schema/form';
import { ShopUpdate } from '../../shared/order-update.ts';
import { describeIssue } from '../format.ts';
import { amounts, lineFields, orderFields, type sections } from './fields.ts';

/** The fields of an object that the form does not show, as JSON text: they are sent as they are. */
const extra = '_extra';

type Texts<Name extends string> = Record<Name | typeof extra, string>;
type FieldName = (typeof sections)[number]['fields'][number]['name'];
type HookName<Name> = Name extends `hooks.${infer Hook}` ? Hook : never;
type Line = Texts<(typeof lineFields)[number]['name']>;

/** An order as it is typed: text throughout. */
export interface OrderForm extends Texts<Exclude<FieldName, `hooks.${string}`>> {
  cart: Texts<never> & { items: Line[] };
  hooks: Texts<HookName<FieldName>>;
}

export const newLine: Line = {
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
const amountNames = [...orderFields, ...lineFields].flatMap((field) =>
  'kind' in field && field.kind === 'amount' ? [field.name] : [],
);

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Writes an update as the text that would be typed for it. */
export function toForm(update: Fields): OrderForm {
  const { cart, hooks, shipping_address: address, ...order } = update;
  const { items, ...restOfCart } = isObject(cart) ? cart : {};
  const lines = Array.isArray(items) && items.every(isObject) ? items : [];
  const names = orderFields.map(({ name }) => name);
  const hookNames = names.flatMap((name) => (name.startsWith('hooks.') ? [name.slice(6)] : []));
  return {
    ...toTexts(
      order,
      names.filter((name) => !name.startsWith('hooks.')),
    ),
    shipping_address: address === undefined ? '' : JSON.stringify(address, null, 2),
    cart: {
      items: lines.map((line) =>
        toTexts(
          line,
          lineFields.map(({ name }) => name),
        ),
      ),
      // Without lines, the form cannot hold whether there is a list.
      ...toTexts(lines.length > 0 || items === undefined ? restOfCart : { ...restOfCart, items }, []),
    },
    hooks: toTexts(isObject(hooks) ? hooks : {}, hookNames),
  } as OrderForm;
}

function toTexts<Name extends string>(object: Fields, names: readonly Name[]): Texts<Name> {
  const rest: Record<string, unknown> = { ...object };
  const written = names.map((name) => {
    const value = rest[name];
    const isText = typeof value === 'boolean' || (typeof value === 'string' && value !== '');
    if (!isText && !Number.isSafeInteger(value)) return [name, ''];
    delete rest[name];
    return [name, amountNames.includes(name) && !isText ? reader.formatAmount(Number(value)) : String(value)];
  });
  const left = Object.keys(rest).length > 0 ? JSON.stringify(rest) : '';
  return { ...Object.fromEntries(written), [extra]: left };
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
export async function resolver(form: OrderForm) {
  const read = readForm(form);
  const addressError = await findChange(form.shipping_address);
  if ('update' in read && !addressError) return { values: read.update, errors: {} };
  return { values: {}, errors: { ...('errors' in read && read.errors), ...addressError } };
}

/** The error of an address that would not be sent as it is typed: JavaScript rounds numbers. */
async function findChange(address: string) {
  const { changes } = await readJsonValue(bytesOf(address));
  const [change] = changes.filter(({ code }) => code !== 'malformed');
  return change && { shipping_address: { type: change.code, message: describeIssue(change) } };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** The names of the fields that are blank and were not before: they are left out of the update. */
export function clearedFields(before: OrderForm, now: OrderForm): readonly string[] {
  const blank = reader.read(before).leftOut;
  return reader.read(now).leftOut.filter((name) => !name.endsWith(extra) && !blank.includes(name));
}

/** The names of amounts that depend on prices, and did not change although these did: nothing calculates them. */
export function staleAmounts(before: OrderForm, now: OrderForm): readonly string[] {
  const priceOf = ({ unit_price, quantity, discount_rate }: Line): string =>
    [unit_price, quantity, discount_rate].join();
  const vatOf = (line: Line): string => line.vat_amount;
  // The sequence of the lines does not count.
  const differs = (of: (line: Line) => string): boolean =>
    before.cart.items.map(of).toSorted().join(';') !== now.cart.items.map(of).toSorted().join(';');
  const isKept = (one: string | undefined, other: string): boolean => other !== '' && one === other;
  const lines = now.cart.items.flatMap((line, index) => {
    const known = before.cart.items[index];
    const isChanged = known?.sku === line.sku && priceOf(known) !== priceOf(line);
    return isChanged && isKept(known.vat_amount, line.vat_amount) ? [`cart.items.${index}.vat_amount`] : [];
  });
  const isPriced = differs(priceOf);
  return [
    ...lines,
    ...(isPriced && isKept(before.total_amount, now.total_amount) ? ['total_amount'] : []),
    ...((isPriced || differs(vatOf)) && isKept(before.total_vat_amount, now.total_vat_amount)
      ? ['total_vat_amount']
      : []),
  ];
}
