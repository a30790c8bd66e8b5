import { readNumber } from '../../contract/read-number.ts';
import {
  amountNames,
  type Carried,
  type Choice,
  choiceNames,
  type FormCart,
  type FormHooks,
  type FormLine,
  hookNames,
  numberNames,
  type OrderForm,
  textNames,
} from './order-form.ts';
import { isRecord } from './take-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Makes the update out of what was typed: what is empty is left out, and what the form carries besides its fields goes
 * along as it is, unless the field was typed since. The result is as good as what was typed: the schema judges it.
 */
export function toOrderUpdate(form: OrderForm): Fields {
  const carried = readCarried(form.carried);
  return withCarried(
    {
      ...filled(pick(form, textNames)),
      ...answered(pick(form, choiceNames)),
      ...numbers(pick(form, amountNames)),
      ...(form.shipping_address.trim() === '' ? {} : { shipping_address: readJson(form.shipping_address) }),
      ...toCart(form.cart, carried),
      ...toHooks(form.hooks),
    },
    carried,
  );
}

/** The value that the text of a JSON field stands for; text that is no JSON stands for itself. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The fields that are carried along in an object; none where something else is carried in its place. */
function readCarried(carried: Carried): Fields {
  const value = carried === '' ? {} : readJson(carried);
  return isRecord(value) ? value : {};
}

function toCart({ items, isListed, carried }: FormCart, order: Fields): Fields {
  const isTyped = isListed || items.length > 0 || carried !== '';
  // What was given in place of a cart stays until there is a cart.
  if (!isTyped && Object.hasOwn(order, 'cart')) return {};
  const list = isListed || items.length > 0 ? { items: items.map(toItem) } : {};
  return { cart: withCarried(list, readCarried(carried)) };
}

function toItem({ kind, sku, name, carried, ...typed }: FormLine): unknown {
  const item = { ...filled(Object.entries({ type: kind, sku, name })), ...numbers(pick(typed, numberNames)) };
  if (carried === '') return item;
  const value = readJson(carried);
  if (isRecord(value)) return withCarried(item, value);
  return Object.keys(item).length > 0 ? item : value;
}

function toHooks(hooks: FormHooks): Fields {
  const typed = filled(pick(hooks, hookNames));
  const isGiven = hooks.carried !== '' || Object.keys(typed).length > 0;
  return isGiven ? { hooks: withCarried(typed, readCarried(hooks.carried)) } : {};
}

/** What was typed comes first, and goes before what is carried under the same name. */
function withCarried(typed: Fields, carried: Fields): Fields {
  const others = Object.entries(carried).filter(([name]) => !Object.hasOwn(typed, name));
  return others.length > 0 ? Object.fromEntries([...Object.entries(typed), ...others]) : typed;
}

function pick<Form extends object, Name extends keyof Form & string>(
  form: Form,
  names: readonly Name[],
): [Name, Form[Name]][] {
  return names.map((name) => [name, form[name]]);
}

type Typed<Value> = readonly (readonly [name: string, value: Value])[];

function filled(fields: Typed<string>): Fields {
  return Object.fromEntries(fields.filter(([, text]) => text !== ''));
}

function numbers(fields: Typed<string>): Fields {
  const typed = fields.filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(typed.map(([name, text]) => [name, readNumber(text)]));
}

function answered(fields: Typed<Choice>): Fields {
  const typed = fields.filter(([, choice]) => choice !== '');
  return Object.fromEntries(typed.map(([name, choice]) => [name, choice === 'yes']));
}
