import './cart.css';
import { useRef, useState } from 'react';
import type { FormLine } from '../form/order-form.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { findLines } from './find-lines.ts';

export interface FindLineProps {
  readonly readLines: () => readonly FormLine[];
  /** Called with the line that was found; undefined when nothing is searched for any more. */
  readonly onFind: (index: number | undefined) => void;
  /** Called to go on in the line that was found. */
  readonly onGo: (index: number) => void;
}

const words = editorWords.cart.find;

/** Finds lines of a long cart, of which the browser's own search sees only those in view. */
export function FindLine({ readLines, onFind, onGo }: FindLineProps) {
  const [found, setFound] = useState<{ readonly at: number; readonly of: readonly number[] }>();
  const input = useRef<HTMLInputElement>(null);

  function find(step: number): void {
    const text = input.current?.value ?? '';
    const of = findLines(readLines(), text);
    const at = of.length > 0 && step !== 0 ? ((found?.at ?? -1) + step + of.length) % of.length : 0;
    setFound(text.trim() === '' ? undefined : { at, of });
    onFind(of[at]);
  }

  return (
    <search className="cart-find">
      <Icon name="search" size={15} />
      <input
        ref={input}
        className="cart-find-input"
        type="search"
        aria-label={words.label}
        placeholder={words.placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={() => find(0)}
        onKeyDown={(event) => {
          const line = found?.of[found.at];
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            find(event.shiftKey ? -1 : 1);
          } else if (event.key === 'ArrowDown' && line !== undefined) {
            event.preventDefault();
            onGo(line);
          }
        }}
      />
      <span className="cart-find-count" aria-live="polite">
        {found && (found.of.length > 0 ? words.found(found.at + 1, found.of.length) : words.none)}
      </span>
      <button
        type="button"
        className="cart-button"
        aria-label={words.next}
        title={words.next}
        onClick={() => find(1)}
      >
        <Icon name="down" size={15} />
      </button>
    </search>
  );
}
