import { OrderUpdate } from '@orders/schema';
import { createFormReader } from '@orders/schema/form';
import { useState } from 'react';
import { type FieldPath, useFieldArray, useForm } from 'react-hook-form';

const newLine = { sku: '', quantity: '1', unit_price: '' };
const defaultValues = { order_id: '', cart: { items: [newLine] } };
const amounts = { decimals: 2 }; // '258,00' is sent as 25800
const reader = createFormReader(OrderUpdate, { amounts, newLine });

export function OrderForm(props: {
  onSave: (update: OrderUpdate) => void;
}) {
  const form = useForm({ resolver: reader.resolver, defaultValues });
  const { control, formState, register } = form;
  const lines = useFieldArray({ control, name: 'cart.items' });
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const save = form.handleSubmit((update) => {
    setLeftOut(reader.read(form.getValues()).leftOut);
    props.onSave(update);
  });
  function field(name: FieldPath<typeof defaultValues>, label: string) {
    const { error, invalid } = form.getFieldState(name, formState);
    const messageId = `${name}-message`;
    return (
      <p>
        <label htmlFor={name}>{label}</label>
        <input
          id={name}
          aria-invalid={invalid}
          aria-describedby={messageId}
          {...register(name)}
        />
        <span id={messageId}>{error?.message}</span>
      </p>
    );
  }
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
