import './editor.css';
import './currency.css';
import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useController } from 'react-hook-form';
import { findCurrencies, listCurrencies } from '../form/find-currencies.ts';
import type { OrderControl } from '../form/order-control.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { FieldMessage } from './field-message.tsx';
import { fieldClassNames } from './text-field.tsx';

const { label, help } = editorWords.order.fields.purchase_currency;

/** The currency: any text may be typed, and is searched for among codes and names. */
export function CurrencyField({ control }: { readonly control: OrderControl }) {
  const { field, fieldState } = useController({ control, name: 'purchase_currency' });
  const [currencies] = useState(listCurrencies);
  const [shown, setShown] = useState<'nothing' | 'all' | 'found'>('nothing');
  const [active, setActive] = useState(0);
  // What is searched for is no currency yet: it is taken when the search ends.
  const [search, setSearch] = useState<string>();
  const text = search ?? field.value;
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const known = currencies.find(({ code }) => code === field.value);
  const found = shown === 'nothing' ? [] : findCurrencies(currencies, shown === 'all' ? '' : text);
  const isOpen = shown !== 'nothing';

  useEffect(() => {
    if (shown === 'nothing') return;
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, shown]);

  function open(): void {
    if (isOpen) return;
    setShown('all');
    setActive(known ? currencies.indexOf(known) : 0);
  }

  function take(taken = search): void {
    if (taken !== undefined && taken !== field.value) field.onChange(taken);
    setSearch(undefined);
    setShown('nothing');
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (ctrlKey || metaKey) {
      if (key === 'Enter') take();
      return;
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) open();
      else if (altKey) take();
      else setActive((active + (key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(1, found.length));
    } else if (key === 'Enter' && isOpen) {
      event.preventDefault();
      take(found[active]?.code);
    } else if (key === 'Escape' && isOpen) {
      event.preventDefault();
      take();
    }
  }

  return (
    <div className="currency">
      <TextInput
        {...field}
        value={text}
        onChange={({ currentTarget }) => {
          setSearch(currentTarget.value);
          setShown('found');
          setActive(0);
        }}
        onBlur={() => {
          take();
          field.onBlur();
        }}
        onClick={open}
        onKeyDown={onKeyDown}
        label={label}
        description={fieldState.error ? undefined : (known?.name ?? help)}
        error={fieldState.error && <FieldMessage error={fieldState.error} />}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        rightSection={<Icon name="search" size={15} />}
        rightSectionPointerEvents="none"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && found[active] ? `${id}-${found[active].code}` : undefined}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        classNames={fieldClassNames}
      />
      <div
        id={`${id}-list`}
        ref={list}
        className="currency-list"
        role="listbox"
        aria-label={label}
        hidden={!isOpen}
        // The field must keep the focus, or the list would be gone before the click.
        onMouseDown={(event) => event.preventDefault()}
      >
        {found.map(({ code, name }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the field, which tells this option as active.
          <div
            key={code}
            id={`${id}-${code}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="currency-option"
            onClick={() => take(code)}
          >
            <strong>{code}</strong> {name}
          </div>
        ))}
        {isOpen && found.length === 0 && (
          <div
            className="currency-none"
            role="option"
            aria-disabled="true"
            aria-selected="false"
            tabIndex={-1}
          >
            {editorWords.currency.none(text)}
          </div>
        )}
      </div>
    </div>
  );
}
