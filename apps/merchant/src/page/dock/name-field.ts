import type { FieldPath } from 'react-hook-form';
import type { OrderForm } from '../form/order-form.ts';
import { words } from '../words.ts';

/** What a field is called on the page: `Quantity, line 2`. */
export function nameField(field: FieldPath<OrderForm>): string {
  const [, index, cell] = /^cart\.items\.(\d+)\.(\w+)$/.exec(field) ?? [];
  if (index && isKey(words.cart.fields, cell)) {
    return words.cart.inLine(words.cart.fields[cell], Number(index) + 1);
  }
  const name = field.replace(/^hooks\./, '');
  if (isKey(words.hooks.fields, name)) return words.hooks.fields[name].label;
  return isKey(words.order.fields, name) ? words.order.fields[name].label : field;
}

function isKey<Fields extends object>(fields: Fields, name: PropertyKey | undefined): name is keyof Fields {
  return name !== undefined && Object.hasOwn(fields, name);
}
