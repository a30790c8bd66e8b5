import type { Resolver } from 'react-hook-form';
import type { DeskUpdate } from '../../contract/desk-update.ts';
import { toFieldErrors } from './field-issues.ts';
import { judgeForm } from './judge-form.ts';
import type { OrderForm } from './order-form.ts';

/**
 * Judges a form by the same schema as the server does; a form that passes yields the update itself. When one field
 * alone is asked for, as with each key, only what it stands in is looked at: a long cart is judged as a whole when it
 * is sent.
 */
export function orderResolver(): Resolver<OrderForm, unknown, DeskUpdate> {
  return async (form, _context, { names = [] }) => {
    const judged = await judgeForm(form, names.length === 1 ? names[0] : undefined);
    return 'update' in judged
      ? { values: judged.update, errors: {} }
      : { values: {}, errors: toFieldErrors(judged.issues) };
  };
}
