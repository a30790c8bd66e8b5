import type { Explanation } from '@orders/schema';
import { type FieldError, type FieldErrors, type FieldPath, get, set } from 'react-hook-form';
import type { OrderForm } from './order-form.ts';

/** What is wrong with one field, or with the update as a whole when no field of the form shows it. */
export interface FieldIssue {
  readonly field: FieldPath<OrderForm> | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

const shownField =
  /^(order_id|purchase_currency|require_shipping|express_shipping|hooks\.\w+|cart\.items\.\d+\.\w+)$/;

/** The form's field for a path such as `cart.items[3].type`; undefined when the form shows none. */
export function fieldOf(path: string): FieldPath<OrderForm> | undefined {
  const name = path.replace(/\[(\d+)\]/g, '.$1').replace(/(\.\d+)\.type$/, '$1.kind');
  return shownField.test(name) ? (name as FieldPath<OrderForm>) : undefined;
}

/** Explained issues as the form library keeps errors: each on its field. */
export function toFieldErrors(issues: readonly Explanation[]): FieldErrors<OrderForm> {
  const errors: FieldErrors<OrderForm> = {};
  for (const issue of issues) {
    const name = fieldOf(issue.path) ?? `root.${issue.path.replace(/\W/g, '_') || 'update'}`;
    // The first issue of a field is the one to mend first.
    if (!get(errors, name)) set(errors, name, toFieldError(issue));
  }
  return errors;
}

export function toFieldError({ code, message, hint }: Explanation): FieldError {
  return { type: code, message, ...(hint === undefined ? {} : { types: { hint } }) };
}

export function hintOf(error: Pick<FieldError, 'types'>): string | undefined {
  const hint = error.types?.['hint'];
  return typeof hint === 'string' ? hint : undefined;
}

/** Every issue in the order of the form. */
export function listIssues(errors: FieldErrors<OrderForm>): readonly FieldIssue[] {
  const { root, order_id, purchase_currency, require_shipping, express_shipping, cart, hooks } = errors;
  const found: FieldIssue[] = [];
  collect({ order_id, purchase_currency, require_shipping, express_shipping, cart, hooks }, '', found);
  collect(root ?? {}, 'root.', found);
  return found;
}

function collect(errors: object, prefix: string, found: FieldIssue[]): void {
  for (const [key, value] of Object.entries(errors)) {
    if (typeof value !== 'object' || value === null) continue;
    const name = `${prefix}${key}`;
    if (typeof value.type === 'string') {
      const field = prefix === 'root.' ? undefined : (name as FieldPath<OrderForm>);
      found.push({ field, message: value.message ?? '', hint: hintOf(value) });
    } else collect(value, `${name}.`, found);
  }
}
