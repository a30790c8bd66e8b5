import './cart.css';
import { memo } from 'react';
import { useFormState } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import { Icon } from '../icon.tsx';
import { words } from '../words.ts';
import { CartCell } from './cart-cell.tsx';
import { cellNames } from './cell-names.ts';

export interface CartLineProps {
  readonly control: OrderControl;
  readonly index: number;
  readonly onRemove: (index: number) => void;
}

/** One line of the cart; a key typed in it draws this line alone. */
export const CartLine = memo(function CartLine({ control, index, onRemove }: CartLineProps) {
  const { errors } = useFormState({ control, name: `cart.items.${index}` });
  const errorsHere = errors.cart?.items?.[index];
  return (
    <li className="cart-line" data-bad={errorsHere ? '' : undefined}>
      <span className="cart-number">
        <span className="cart-narrow-only">{words.cart.line(index + 1)}</span>
        <span className="cart-wide-only">{index + 1}</span>
      </span>
      {cellNames.map((name) => (
        <CartCell
          key={name}
          name={name}
          lineNumber={index + 1}
          registration={control.register(`cart.items.${index}.${name}`)}
          error={errorsHere?.[name]}
        />
      ))}
      <button
        type="button"
        className="cart-remove"
        aria-label={words.cart.remove(index + 1)}
        title={words.cart.remove(index + 1)}
        onClick={() => onRemove(index)}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
});
