import './undo.css';
import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';

/** Something that was done, and can be undone. */
export interface Undoable {
  readonly message: string;
  readonly undo: () => void;
}

export interface UndoBarProps {
  readonly done: Undoable | undefined;
  readonly onClose: () => void;
}

/** How long something can be undone, in milliseconds, while nobody is at the bar. */
const shownMs = 15_000;

/** Offers to undo what was done last. It lies over the page, so that nothing moves. */
export function UndoBar({ done, onClose }: UndoBarProps) {
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (!done || isHeld) return;
    const timer = setTimeout(onClose, shownMs);
    return () => clearTimeout(timer);
  }, [done, isHeld, onClose]);
  const words = editorWords.undo;
  return (
    <div className="undo-place">
      {done && (
        // biome-ignore lint/a11y/noStaticElementInteractions: being at it only keeps it from going away.
        <div
          className="undo"
          onPointerEnter={() => setIsHeld(true)}
          onPointerLeave={() => setIsHeld(false)}
          onFocus={() => setIsHeld(true)}
          onBlur={() => setIsHeld(false)}
        >
          <span className="undo-text">{done.message}</span>
          <Button
            variant="default"
            size="xs"
            aria-keyshortcuts="Alt+Z"
            onClick={() => {
              setIsHeld(false);
              onClose();
              done.undo();
            }}
          >
            {words.label}
          </Button>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.close}
            onClick={() => {
              setIsHeld(false);
              onClose();
            }}
          >
            <Icon name="cross" size={14} />
          </ActionIcon>
        </div>
      )}
    </div>
  );
}
