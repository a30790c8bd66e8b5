import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type FieldError, get, useFormContext, useFormState, useWatch } from 'react-hook-form';
import type { FieldInfo } from './fields.ts';
import type { OrderForm } from './order-form.ts';

const currencies = Intl.supportedValuesOf('currency');
const choices = [
  { value: '', label: 'Left out' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** An input for a field of the form, with its error. */
export function OrderField({ name: field, label, kind, description }: FieldInfo) {
  const name = field as keyof OrderForm;
  const { register, control } = useFormContext<OrderForm>();
  const { errors } = useFormState({ control, name });
  const error = (get(errors, name) as FieldError | undefined)?.message;
  const currency = useWatch({ control, name: 'purchase_currency', disabled: kind !== 'amount' });
  const props = { description, error, errorProps: { 'aria-live': 'polite' as const } };

  const input = { ...props, ...register(name), label };
  if (kind === 'choice') return <NativeSelect {...input} data={choices} />;
  if (kind === 'json') return <Textarea {...input} autosize minRows={3} maxRows={12} spellCheck={false} />;
  if (kind === 'currency') {
    return (
      <>
        <TextInput {...input} list="currencies" autoComplete="off" />
        <datalist id="currencies">
          {currencies.map((currency) => (
            <option key={currency} value={currency} />
          ))}
        </datalist>
      </>
    );
  }
  if (kind === 'amount') {
    return (
      <TextInput
        {...input}
        label={currency ? `${label} (${currency})` : label}
        inputMode="decimal"
        autoComplete="off"
      />
    );
  }
  return <TextInput {...input} inputMode={kind === 'integer' ? 'numeric' : 'text'} autoComplete="off" />;
}
