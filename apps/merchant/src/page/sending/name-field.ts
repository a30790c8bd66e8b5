import type { FieldPath } from 'react-hook-form';
import type { OrderForm } from '../form/order-form.ts';
import { editorWords } from '../words/editor.ts';

/** What a field is called on the page: `Quantity, line 2`. */
export function nameField(field: FieldPath<OrderForm>): string {
  const { order, cart, hooks } = editorWords;
  const [, index, cell] = /^cart\.items\.(\d+)\.(\w+)$/.exec(field) ?? [];
  if (index && isKey(cart.fields, cell)) return cart.inLine(cart.fields[cell], Number(index) + 1);
  if (isKey(order.fields, field)) return order.fields[field].label;
  const name = field.replace(/^hooks\./, '');
  if (isKey(hooks.fields, name)) return hooks.fields[name].label;
  return isKey(order.fields, name) ? order.fields[name].label : field;
}

function isKey<Fields extends object>(fields: Fields, name: PropertyKey | undefined): name is keyof Fields {
  return name !== undefined && Object.hasOwn(fields, name);
}
