import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { useFieldArray } from 'react-hook-form';
import type { OrderFormHandle } from '../form/order-control.ts';
import { emptyLine } from '../form/order-form.ts';
import { editorWords } from '../words/editor.ts';
import type { Undoable } from './undo-bar.tsx';

/** What can be done with the lines of a cart. Each says so to who does not see it, and leaves the focus where it makes sense. */
export interface CartActions {
  add(): void;
  /** @param cell The field to go on in, of the line that takes its place. */
  remove(index: number, cell: string): void;
  duplicate(index: number): void;
  /** @param cell The field to go on in. */
  move(from: number, to: number, cell: string): void;
}

export interface CartOptions {
  readonly form: OrderFormHandle;
  readonly announce: (text: string) => void;
  readonly offerUndo: (undoable: Undoable) => void;
  /** Puts the cursor into a field of a line, wherever that is; where there is no such line, on the way to add one. */
  readonly focusLine: (index: number, cell: string) => void;
}

const { told } = editorWords.cart;
const unfocused = { shouldFocus: false };

/** The lines of the cart, and what can be done with them. The actions stay the same for as long as the cart is shown. */
export function useCart({ form, announce, offerUndo, focusLine }: CartOptions) {
  const { fields, append, insert, move, remove } = useFieldArray({
    control: form.control,
    name: 'cart.items',
  });

  const latest: CartActions = {
    add() {
      const index = form.getValues('cart.items').length;
      flushSync(() => append(emptyLine, unfocused));
      focusLine(index, 'sku');
      announce(told.added(index + 1));
    },
    remove(index, cell) {
      const line = structuredClone(form.getValues(`cart.items.${index}`));
      flushSync(() => remove(index));
      focusLine(Math.min(index, form.getValues('cart.items').length - 1), cell);
      offerUndo({
        message: told.removed(index + 1),
        undo: () => {
          const place = Math.min(index, form.getValues('cart.items').length);
          flushSync(() => insert(place, line, unfocused));
          focusLine(place, 'sku');
          announce(told.restored(place + 1));
        },
      });
    },
    duplicate(index) {
      const line = structuredClone(form.getValues(`cart.items.${index}`));
      flushSync(() => insert(index + 1, line, unfocused));
      focusLine(index + 1, 'sku');
      announce(told.duplicated(index + 2));
    },
    move(from, to, cell) {
      const { length } = form.getValues('cart.items');
      if (to < 0 || to >= length) return announce(to < 0 ? told.first : told.last);
      if (to === from) return;
      flushSync(() => move(from, to));
      focusLine(to, cell);
      announce(told.moved(from + 1, to + 1));
    },
  };

  const current = useRef(latest);
  current.current = latest;
  const actions = useRef<CartActions>({
    add: () => current.current.add(),
    remove: (index, cell) => current.current.remove(index, cell),
    duplicate: (index) => current.current.duplicate(index),
    move: (from, to, cell) => current.current.move(from, to, cell),
  });
  return { fields, actions: actions.current };
}
