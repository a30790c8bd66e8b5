import './paste.css';
import { ActionIcon, Button } from '@mantine/core';
import { type DragEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { maxLines } from '../form/order-form.ts';
import { Icon } from '../icon.tsx';
import { CopyText } from '../shell/copy-text.tsx';
import { pasteWords as words } from '../words/paste.ts';
import { type ExplainedJson, explainJson, tellProblem } from './explain-json.ts';
import { ExplainedLines } from './explained-lines.tsx';
import { type ReadText, readPasted, readPastedFile } from './read-pasted.ts';
import { useSettled } from './use-settled.ts';

export interface PastePanelProps {
  readonly onClose: () => void;
  /** Called with an update, good or not, that is to be in the form. */
  readonly onPut: (update: unknown) => void;
}

/** Text of more characters than these is explained once the typing pauses. */
const explainedAtOnce = 20_000;
const none: ExplainedJson = { lines: [], problems: [], isJson: false };

/** Takes the JSON of an update by paste, by file or by typing, and explains it line by line before it goes into the form. */
export function PastePanel({ onClose, onPut }: PastePanelProps) {
  const titleId = useId();
  const inputId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isOver, setIsOver] = useState(false);
  const settled = useSettled(text, text.length > explainedAtOnce ? 300 : 0);
  const explained = useMemo(() => (settled.trim() === '' ? none : explainJson(settled)), [settled]);
  const { problems, update } = explained;
  const isPutOff = update === undefined || settled !== text || countLines(update) > maxLines;

  useEffect(() => dialog.current?.showModal(), []);

  function take(read: ReadText): void {
    setProblem(read.problem);
    if (read.text !== undefined) setText(read.text);
  }

  async function takeFile(one: File | undefined): Promise<void> {
    if (one) take(await readPastedFile(one));
  }

  function onDrop(event: DragEvent): void {
    setIsOver(false);
    const [one] = event.dataTransfer.files;
    // Text that is dragged falls into the field by itself.
    if (!one) return;
    event.preventDefault();
    void takeFile(one);
  }

  return (
    <dialog
      ref={dialog}
      className="paste"
      aria-labelledby={titleId}
      onClose={onClose}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <div className="paste-sheet" data-over={isOver || undefined}>
        <div className="paste-head">
          <div>
            <h2 className="paste-title" id={titleId}>
              {words.title}
            </h2>
            <p className="paste-help">{words.help}</p>
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={words.close}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="cross" />
          </ActionIcon>
        </div>
        <div className="paste-panes">
          <div className="paste-pane">
            <div className="paste-pane-head">
              <label htmlFor={inputId}>{words.input}</label>
              <Button variant="subtle" size="compact-sm" onClick={() => file.current?.click()}>
                {words.choose}
              </Button>
              <input
                ref={file}
                type="file"
                accept=".json,application/json"
                hidden
                onChange={({ currentTarget }) => {
                  void takeFile(currentTarget.files?.[0]);
                  currentTarget.value = '';
                }}
              />
            </div>
            <textarea
              id={inputId}
              className="paste-input"
              value={text}
              placeholder={words.placeholder}
              autoComplete="off"
              spellCheck={false}
              onChange={({ currentTarget, nativeEvent }) => {
                const isPasted =
                  nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertFromPaste';
                take(readPasted(currentTarget.value, { isTidied: isPasted }));
              }}
            />
            <p className="paste-note" data-bad={problem !== undefined || undefined} role="status">
              {problem ?? (isOver ? words.dropNow : words.drop)}
            </p>
          </div>
          <div className="paste-pane">
            <ExplainedLines explained={explained} />
          </div>
        </div>
        <div className="paste-foot">
          <div className="paste-count" role="status">
            {settled.trim() === '' ? null : <Count explained={explained} />}
          </div>
          {problems.length > 0 && <CopyText text={problems.map(tellProblem).join('\n')} label={words.copy} />}
          <Button
            aria-disabled={isPutOff || undefined}
            onClick={() => {
              if (isPutOff) return;
              dialog.current?.close();
              onPut(update);
            }}
          >
            {words.put}
          </Button>
        </div>
      </div>
    </dialog>
  );
}

function Count({ explained }: { readonly explained: ExplainedJson }) {
  const { problems, isJson, update } = explained;
  const isGood = problems.length === 0;
  const lines = update === undefined ? 0 : countLines(update);
  return (
    <>
      <p className="paste-verdict" data-good={isGood || undefined}>
        <Icon name={isGood ? 'check' : 'warning'} size={18} />
        {isGood ? words.good : isJson ? words.bad(problems.length) : words.notJson(problems.length)}
      </p>
      <p className="paste-note">
        {isJson && update === undefined
          ? words.notObject
          : lines > maxLines
            ? words.tooManyLines(maxLines)
            : isJson && words.replaces}
      </p>
    </>
  );
}

function countLines(update: Readonly<Record<string, unknown>>): number {
  const { items } = Object(update['cart']);
  return Array.isArray(items) ? items.length : 0;
}
