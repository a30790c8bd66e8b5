import './popover.css';
import { ActionIcon } from '@mantine/core';
import { useId, useRef } from 'react';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';
import { placePopover } from './place-popover.ts';

const { open, title, list } = editorWords.shortcuts;

/** What the keyboard does in the editor. */
export function ShortcutsHelp() {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <ActionIcon
        ref={button}
        type="button"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={open}
        title={open}
        popoverTarget={id}
      >
        <Icon name="keyboard" size={18} />
      </ActionIcon>
      <div
        id={id}
        className="popover"
        popover="auto"
        onToggle={({ newState, currentTarget }) => {
          if (newState === 'open' && button.current) placePopover(currentTarget, button.current);
        }}
      >
        <h2 className="popover-title">{title}</h2>
        <dl className="shortcuts">
          {list.map(({ keys, text }) => (
            <div key={text}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}
