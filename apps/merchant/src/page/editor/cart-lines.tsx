import './cart.css';
import { Button } from '@mantine/core';
import { useCallback } from 'react';
import { useFieldArray } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import { emptyLine } from '../form/order-form.ts';
import { Icon } from '../icon.tsx';
import { words } from '../words.ts';
import { CartLine } from './cart-line.tsx';
import { cellNames, isNumeric } from './cell-names.ts';
import { Section } from './section.tsx';

/** The lines of the cart, in columns; on a narrow screen each line is a block of its own. */
export function CartLines({ control }: { readonly control: OrderControl }) {
  const { fields, append, remove } = useFieldArray({ control, name: 'cart.items' });
  const removeLine = useCallback((index: number) => remove(index), [remove]);
  const { title, help, none } = words.cart;
  return (
    <Section
      title={title}
      help={help}
      aside={<span className="cart-count">{words.orders.lines(fields.length)}</span>}
    >
      <div className="cart">
        {fields.length > 0 ? (
          <>
            <div className="cart-columns" aria-hidden="true">
              <span />
              {cellNames.map((name) => (
                <span key={name} data-numeric={isNumeric(name) || undefined}>
                  {words.cart.fields[name]}
                </span>
              ))}
            </div>
            <ol>
              {fields.map((field, index) => (
                <CartLine key={field.id} control={control} index={index} onRemove={removeLine} />
              ))}
            </ol>
          </>
        ) : (
          <div className="cart-none">
            <p className="cart-none-title">{none.title}</p>
            <p>{none.text}</p>
          </div>
        )}
      </div>
      <Button
        variant="default"
        size="sm"
        leftSection={<Icon name="plus" />}
        onClick={() => append(emptyLine, { focusName: `cart.items.${fields.length}.sku` })}
      >
        {words.cart.add}
      </Button>
      <datalist id="line-types">
        <option value="physical" />
        <option value="shipping_fee" />
      </datalist>
    </Section>
  );
}
