import './cart.css';
import { Button } from '@mantine/core';
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import type { OrderFormHandle } from '../form/order-control.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { CarriedFields } from './carried-fields.tsx';
import { CartLine, type LineDrag } from './cart-line.tsx';
import { cellNames, isNumeric } from './cell-names.ts';
import { drawnWhole } from './drawn-rows.ts';
import { dropIndex, type LineDrop } from './drop-index.ts';
import { FindLine } from './find-line.tsx';
import { focusField } from './focus-field.ts';
import { LineMenu, type LineMenuHandle } from './line-menu.tsx';
import { linePlaceName, readLinePlace } from './line-place.ts';
import { Section } from './section.tsx';
import type { Undoable } from './undo-bar.tsx';
import { useCart } from './use-cart.ts';
import { useLineRows } from './use-line-rows.ts';

/** Brings lines of the cart into the page, which holds only those in view. */
export interface CartHandle {
  bring(index: number): void;
}

export interface CartLinesProps {
  readonly ref: RefObject<CartHandle | null>;
  readonly form: OrderFormHandle;
  readonly announce: (text: string) => void;
  readonly offerUndo: (undoable: Undoable) => void;
}

const words = editorWords.cart;

/** The lines of the cart, in columns; on a narrow screen each line is a block of its own. */
export const CartLines = memo(function CartLines({ ref, form, announce, offerUndo }: CartLinesProps) {
  const list = useRef<HTMLOListElement>(null);
  const menu = useRef<LineMenuHandle>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [focused, setFocused] = useState<number>();
  const [dragged, setDragged] = useState<number>();
  const [found, setFound] = useState<number>();
  const drag = useLineDrag();

  const bring = useCallback((index: number) => flushSync(() => setFocused(index)), []);
  useImperativeHandle(ref, () => ({ bring }), [bring]);

  const focusLine = useCallback(
    (index: number, cell: string) => {
      if (index < 0) return addButton.current?.focus();
      bring(index);
      const row = list.current?.querySelector(`[data-index="${index}"]`);
      const button = row?.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
      const sheet = list.current?.closest('form');
      if (button) button.focus();
      else if (sheet) focusField(sheet, linePlaceName({ index, cell }));
    },
    [bring],
  );

  const { fields, actions } = useCart({ form, announce, offerUndo, focusLine });
  const ids = useMemo(() => fields.map(({ id }) => id), [fields]);
  const kept = useMemo(
    () => [focused, dragged, found].filter((index) => index !== undefined),
    [focused, dragged, found],
  );
  const { rows, height, measure } = useLineRows(list, ids, kept);

  const onMenu = useCallback(
    (index: number, button: HTMLButtonElement) => menu.current?.open(index, button),
    [],
  );
  const onDrop = useCallback((drop: LineDrop) => actions.move(drop.from, dropIndex(drop), 'menu'), [actions]);
  const readLines = useCallback(() => form.getValues('cart.items'), [form]);
  const show = useCallback((index: number | undefined) => {
    flushSync(() => setFound(index));
    const row = list.current?.querySelector(`[data-index="${index}"]`);
    row?.scrollIntoView({ block: 'center' });
  }, []);

  function onFocus({ target }: FocusEvent<HTMLElement>): void {
    const row = target.closest<HTMLElement>('[data-index]');
    if (row) setFocused(Number(row.dataset['index']));
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const { key, altKey, target } = event;
    if (!altKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
    const place = target instanceof HTMLInputElement ? readLinePlace(target.name) : undefined;
    if (!place) return;
    event.preventDefault();
    actions.move(place.index, place.index + (key === 'ArrowUp' ? -1 : 1), place.cell);
  }

  const isLong = fields.length > drawnWhole;
  return (
    <Section name="cart" aside={<span className="cart-count">{words.lines(fields.length)}</span>}>
      {isLong && <FindLine readLines={readLines} onFind={show} onGo={(index) => focusLine(index, 'sku')} />}
      <div className="cart" data-extras={fields.some(({ carried }) => carried !== '') || undefined}>
        {fields.length > 0 && (
          <div className="cart-columns" aria-hidden="true">
            <span className="cart-number" />
            {cellNames.map((name) => (
              <span key={name} data-name={name} data-numeric={isNumeric(name) || undefined}>
                {words.fields[name]}
              </span>
            ))}
          </div>
        )}
        <ol ref={list} className="cart-list" style={{ height }} onFocus={onFocus} onKeyDown={onKeyDown}>
          {rows.map(({ index, id, top }) => (
            <CartLine
              key={id}
              control={form.control}
              index={index}
              count={fields.length}
              top={top}
              measure={measure}
              actions={actions}
              isFound={index === found}
              drag={drag}
              onDrag={setDragged}
              onDrop={onDrop}
              onMenu={onMenu}
            />
          ))}
        </ol>
        {fields.length === 0 && (
          <div className="cart-none">
            <p className="cart-none-title">{words.none.title}</p>
            <p>{words.none.text}</p>
          </div>
        )}
      </div>
      <Button
        ref={addButton}
        variant="default"
        size="sm"
        leftSection={<Icon name="plus" />}
        onClick={() => actions.add()}
      >
        {words.add}
      </Button>
      <CarriedFields form={form} name="cart.carried" />
      <LineMenu ref={menu} form={form} count={fields.length} actions={actions} />
      <datalist id="line-types">
        <option value="physical" />
        <option value="shipping_fee" />
      </datalist>
    </Section>
  );
});

/** What lets lines be dragged comes after the page: nobody drags at once. */
function useLineDrag(): LineDrag | undefined {
  const [drag, setDrag] = useState<{ readonly enable: LineDrag }>();
  useEffect(() => {
    let isGone = false;
    import('./line-drag.ts').then(
      ({ enableLineDrag }) => isGone || setDrag({ enable: enableLineDrag }),
      // Without it, lines are moved by their menu.
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, []);
  return drag?.enable;
}
