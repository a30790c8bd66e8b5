import './cart.css';
import { useId } from 'react';
import { type FieldError, useWatch } from 'react-hook-form';
import { moreOf } from '../form/field-issues.ts';
import type { OrderControl } from '../form/order-control.ts';
import { namesOf } from '../form/read-carried.ts';
import { editorWords } from '../words/editor.ts';
import { FieldMessage } from './field-message.tsx';

export interface LineExtrasProps {
  readonly control: OrderControl;
  readonly index: number;
  readonly error: FieldError | undefined;
  readonly onOpen: (index: number, button: HTMLButtonElement) => void;
}

/**
 * How many fields go along with a line besides those that are shown, and a way to leave them out; nothing where there
 * is none.
 */
export function LineExtras({ control, index, error, onOpen }: LineExtrasProps) {
  const carried = useWatch({ control, name: `cart.items.${index}.carried`, exact: true });
  const messageId = useId();
  const names = namesOf(carried ?? '');
  if (names.length === 0 && !error) return null;
  const { carries } = editorWords.cart;
  const label = `${editorWords.cart.line(index + 1)} ${carries(names.map((name) => name || editorWords.carried.inPlace))}`;
  return (
    <span className="cart-cell cart-extras">
      <button
        type="button"
        className="cart-button"
        data-field={`cart.items.${index}.carried`}
        data-bad={error !== undefined || undefined}
        aria-label={label}
        title={label}
        aria-describedby={error ? messageId : undefined}
        aria-haspopup="menu"
        onClick={(event) => onOpen(index, event.currentTarget)}
      >
        +{names.length}
      </button>
      {error && (
        <span className="cart-message" id={messageId}>
          <FieldMessage error={error} /> {moreOf(error).join(' ')}
        </span>
      )}
    </span>
  );
}
