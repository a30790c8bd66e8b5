import './popover.css';
import { type KeyboardEvent, type RefObject, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { OrderFormHandle } from '../form/order-control.ts';
import { leaveOut, namesOf } from '../form/read-carried.ts';
import { Icon, type IconName } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { placePopover } from './place-popover.ts';
import type { CartActions } from './use-cart.ts';

/** Opens the menu of a line beside the button that asked for it. */
export interface LineMenuHandle {
  open(index: number, button: HTMLButtonElement): void;
}

export interface LineMenuProps {
  readonly ref: RefObject<LineMenuHandle | null>;
  readonly form: OrderFormHandle;
  readonly count: number;
  readonly actions: CartActions;
}

interface Item {
  readonly label: string;
  readonly icon: IconName;
  readonly keys?: string;
  readonly isOff?: boolean;
  readonly run: () => void;
}

const words = editorWords.cart;

/** What can be done with a line. There is one menu for all lines: hundreds of them would cost too much. */
export function LineMenu({ ref, form, count, actions }: LineMenuProps) {
  // An object, so that opening it anew for the same line draws it anew.
  const [{ index }, setLine] = useState({ index: 0 });
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useImperativeHandle(ref, () => ({
    open(next, opener) {
      const popover = menu.current;
      if (!popover) return;
      button.current = opener;
      flushSync(() => setLine({ index: next }));
      popover.showPopover();
      placePopover(popover, opener);
      itemsOf(popover)[0]?.focus();
    },
  }));

  const items = listItems(index, form, count, actions);

  function close(): void {
    menu.current?.hidePopover();
    button.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const all = itemsOf(event.currentTarget);
    const at = event.target instanceof HTMLElement ? all.indexOf(event.target) : -1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) all.at(next % all.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={menu}
      className="popover menu"
      popover="auto"
      role="menu"
      aria-label={words.actions(index + 1)}
      onKeyDown={onKeyDown}
    >
      {items.map(({ label, icon, keys, isOff, run }) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          className="menu-item"
          tabIndex={-1}
          aria-disabled={isOff || undefined}
          onClick={() => {
            if (isOff) return;
            close();
            run();
          }}
        >
          <Icon name={icon} />
          {label}
          {keys && <span className="menu-keys">{keys}</span>}
        </button>
      ))}
    </div>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

function listItems(
  index: number,
  form: OrderFormHandle,
  count: number,
  actions: CartActions,
): readonly Item[] {
  const name = `cart.items.${index}.carried` as const;
  const carried = form.getValues(name) ?? '';
  return [
    {
      label: words.moveUp,
      icon: 'up',
      keys: 'Alt ↑',
      isOff: index === 0,
      run: () => actions.move(index, index - 1, 'menu'),
    },
    {
      label: words.moveDown,
      icon: 'down',
      keys: 'Alt ↓',
      isOff: index >= count - 1,
      run: () => actions.move(index, index + 1, 'menu'),
    },
    { label: words.duplicate, icon: 'copy', run: () => actions.duplicate(index) },
    ...namesOf(carried).map(
      (field): Item => ({
        label: words.leaveOut(field === '' ? editorWords.carried.inPlace : field),
        icon: 'cross',
        run: () => form.setValue(name, leaveOut(carried, field), { shouldDirty: true, shouldValidate: true }),
      }),
    ),
    { label: words.remove, icon: 'trash', run: () => actions.remove(index, 'menu') },
  ];
}
