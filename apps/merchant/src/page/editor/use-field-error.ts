import { type FieldError, type FieldPath, get, useFormState } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import type { OrderForm } from '../form/order-form.ts';

/** What is wrong with a field. It reads nothing else of the form's state: that would draw the field with each key anywhere. */
export function useFieldError(control: OrderControl, name: FieldPath<OrderForm>): FieldError | undefined {
  const { errors } = useFormState({ control, name, exact: true });
  return get(errors, name);
}
