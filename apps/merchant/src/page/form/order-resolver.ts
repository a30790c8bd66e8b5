import { explain, OrderUpdate } from '@orders/schema';
import type { Resolver } from 'react-hook-form';
import { toFieldErrors } from './field-issues.ts';
import type { OrderForm } from './order-form.ts';
import { toOrderUpdate } from './to-order-update.ts';

/** Judges a form by the same schema as the server does; a form that passes yields the update itself. */
export function orderResolver(base: OrderUpdate): Resolver<OrderForm, unknown, OrderUpdate> {
  return (form) => {
    const checked = OrderUpdate.safeParse(toOrderUpdate(form, base));
    return checked.success
      ? { values: checked.data, errors: {} }
      : { values: {}, errors: toFieldErrors(explain(checked.error)) };
  };
}
