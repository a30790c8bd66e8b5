import './cart.css';
import { memo, useCallback, useEffect, useRef } from 'react';
import { useFormState } from 'react-hook-form';
import type { OrderControl } from '../form/order-control.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { CartCell } from './cart-cell.tsx';
import { cellNames } from './cell-names.ts';
import type { LineDragOptions } from './line-drag.ts';
import { LineExtras } from './line-extras.tsx';
import type { CartActions } from './use-cart.ts';

/** The part that lets lines be dragged; it is loaded after the page. */
export type LineDrag = (options: LineDragOptions) => () => void;

export interface CartLineProps {
  readonly control: OrderControl;
  readonly index: number;
  readonly count: number;
  /** From the top of the list, in pixels. */
  readonly top: number;
  readonly measure: (row: HTMLElement | null) => void;
  readonly actions: CartActions;
  /** Whether a search has come to this line. */
  readonly isFound: boolean;
  readonly drag: LineDrag | undefined;
  readonly onDrag: LineDragOptions['onDrag'];
  readonly onDrop: LineDragOptions['onDrop'];
  readonly onMenu: (index: number, button: HTMLButtonElement) => void;
}

const words = editorWords.cart;

/** One line of the cart; a key typed in it draws this line alone. */
export const CartLine = memo(function CartLine(props: CartLineProps) {
  const { control, index, count, top, measure, actions, isFound, drag, onDrag, onDrop, onMenu } = props;
  const row = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLSpanElement>(null);
  const { errors } = useFormState({ control, name: `cart.items.${index}` });
  const errorsHere = errors.cart?.items?.[index];

  const attach = useCallback(
    (element: HTMLLIElement | null) => {
      row.current = element;
      measure(element);
    },
    [measure],
  );

  useEffect(() => {
    if (!drag || !row.current || !handle.current) return;
    return drag({ row: row.current, handle: handle.current, index, onDrag, onDrop });
  }, [drag, index, onDrag, onDrop]);

  return (
    <li
      ref={attach}
      className="cart-row"
      data-index={index}
      data-found={isFound || undefined}
      style={{ top }}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      <div className="cart-line">
        <span className="cart-number">
          <span ref={handle} className="cart-handle" title={words.drag} aria-hidden="true">
            <Icon name="grip" size={14} />
          </span>
          <span className="cart-narrow-only">{words.line(index + 1)}</span>
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
        <span className="cart-actions">
          <LineExtras control={control} index={index} error={errorsHere?.carried} onOpen={onMenu} />
          <button
            type="button"
            className="cart-button"
            aria-label={words.actions(index + 1)}
            title={words.actions(index + 1)}
            aria-haspopup="menu"
            data-cell="menu"
            onClick={(event) => onMenu(index, event.currentTarget)}
          >
            <Icon name="dots" />
          </button>
          <button
            type="button"
            className="cart-button cart-remove"
            aria-label={`${words.remove} ${words.line(index + 1).toLowerCase()}`}
            title={`${words.remove} ${words.line(index + 1).toLowerCase()}`}
            data-cell="remove"
            onClick={() => actions.remove(index, 'remove')}
          >
            <Icon name="trash" />
          </button>
        </span>
      </div>
    </li>
  );
});
