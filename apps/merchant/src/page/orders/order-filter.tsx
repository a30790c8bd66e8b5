import './rail.css';
import { TextInput } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { orderWords } from '../words/orders.ts';

export interface OrderFilterProps {
  readonly text: string;
  /** How many orders hold the text. */
  readonly found: number;
  readonly onChange: (text: string) => void;
}

/** Finds orders in a long list. */
export function OrderFilter({ text, found, onChange }: OrderFilterProps) {
  const { label, placeholder, none, clear } = orderWords.filter;
  return (
    <div className="rail-filter">
      <TextInput
        type="search"
        size="xs"
        aria-label={label}
        placeholder={placeholder}
        leftSection={<Icon name="search" size={14} />}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div role="status">
        {found === 0 && (
          <p className="rail-none">
            {none(text)}{' '}
            <button type="button" className="text-button" onClick={() => onChange('')}>
              {clear}
            </button>
          </p>
        )}
      </div>
    </div>
  );
}
