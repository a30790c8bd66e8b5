import './cart.css';
import { useId } from 'react';
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form';
import { editorWords } from '../words/editor.ts';
import { type CellName, isNumeric } from './cell-names.ts';
import { FieldMessage } from './field-message.tsx';

export interface CartCellProps {
  readonly name: CellName;
  readonly lineNumber: number;
  readonly registration: UseFormRegisterReturn;
  readonly error: FieldError | undefined;
}

/**
 * One field of a line. A plain text input: a number input of the browser or of a library would drop
 * or round what was typed before anything could be said about it, and hundreds of these must be quick.
 */
export function CartCell({ name, lineNumber, registration, error }: CartCellProps) {
  const messageId = useId();
  const label = editorWords.cart.fields[name];
  return (
    <div className="cart-cell" data-name={name} data-numeric={isNumeric(name) || undefined}>
      <span className="cart-narrow-only" aria-hidden="true">
        {label}
      </span>
      <input
        {...registration}
        className="cart-input"
        aria-label={editorWords.cart.inLine(label, lineNumber)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? messageId : undefined}
        // A phone's number pad has no minus sign, which amounts may need.
        inputMode={name === 'quantity' ? 'numeric' : 'text'}
        list={name === 'kind' ? 'line-types' : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      {error && (
        <p className="cart-message" id={messageId}>
          <FieldMessage error={error} />
        </p>
      )}
    </div>
  );
}
