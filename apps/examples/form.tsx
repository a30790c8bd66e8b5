import { OrderUpdate } from '@orders/schema';
import { createFormReader } from '@orders/schema/form';
import { useId, useState } from 'react';
import {
  type FieldPath,
  type UseFormRegisterReturn,
  useFieldArray,
  useForm,
} from 'react-hook-form';

const newLine = { sku: '', quantity: '1', unit_price: '' };
const defaultValues = { order_id: '', cart: { items: [newLine] } };
const amounts = { decimals: 2 }; // '258,00' is sent as 25800
const reader = createFormReader(OrderUpdate, { amounts, newLine });

export function OrderForm(props: {
  onSave: (update: OrderUpdate) => void;
}) {
  const form = useForm({ resolver: reader.resolver, defaultValues });
  const { control } = form;
  const lines = useFieldArray({ control, name: 'cart.items' });
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const save = form.handleSubmit((update) => {
    setLeftOut(reader.read(form.getValues()).leftOut);
    props.onSave(update);
  });
  const field = (name: FieldPath<typeof defaultValues>, label: string) => (
    <Field
      label={label}
      input={form.register(name)}
      message={form.getFieldState(name, form.formState).error?.message}
    />
  );
  return (
    <form onSubmit={save} noValidate>
      {field('order_id', 'Order number')}
      {lines.fields.map(({ id }, index) => (
        <fieldset key={id}>
          <legend>Line {index + 1}</legend>
          {field(`cart.items.${index}.sku`, 'SKU')}
          {field(`cart.items.${index}.quantity`, 'Quantity')}
          {field(`cart.items.${index}.unit_price`, 'Price')}
          <button type="button" onClick={() => lines.remove(index)}>
            Remove line {index + 1}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={() => lines.append(newLine)}>
        Add a line
      </button>
      <button type="submit">Save</button>
      {leftOut.length > 0 && (
        <p role="status">Left out: {leftOut.join(', ')}</p>
      )}
    </form>
  );
}

function Field(props: {
  label: string;
  input: UseFormRegisterReturn;
  message: string | undefined;
}) {
  const id = useId();
  const invalid = props.message !== undefined;
  return (
    <p>
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        aria-invalid={invalid}
        aria-describedby={invalid ? `${id}-message` : undefined}
        {...props.input}
      />
      {invalid && <span id={`${id}-message`}>{props.message}</span>}
    </p>
  );
}
