import './paste.css';
import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Icon } from '../icon.tsx';
import { pasteWords as words } from '../words/paste.ts';
import type { ExplainedJson, LineProblem } from './explain-json.ts';

/** Height of a line without problems, in pixels; drawn lines are measured. */
const lineHeight = 20;

/** The lines of a text, each with its number and, below it, what is wrong with it. Only those in view are drawn. */
export function ExplainedLines({ explained }: { readonly explained: ExplainedJson }) {
  const { lines, problems } = explained;
  const scroller = useRef<HTMLElement>(null);
  const [current, setCurrent] = useState(-1);
  const byLine = useMemo(() => Map.groupBy(problems, ({ line }) => line), [problems]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback(
      (index: number) => lineHeight * (1 + 2.5 * (byLine.get(index + 1)?.length ?? 0)),
      [byLine],
    ),
    overscan: 12,
  });

  function next(): void {
    const at = (current + 1) % problems.length;
    setCurrent(at);
    virtualizer.scrollToIndex((problems[at]?.line ?? 1) - 1, { align: 'center' });
  }

  return (
    <>
      <div className="paste-pane-head">
        <h3>{words.explained}</h3>
        {problems.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<Icon name="down" size={13} />}
            onClick={next}
          >
            {words.next}
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section ref={scroller} className="paste-lines" tabIndex={0} aria-label={words.explained}>
        {lines.length === 0 ? (
          <div className="paste-none">
            <p className="paste-none-title">{words.none.title}</p>
            <p>{words.none.text}</p>
          </div>
        ) : (
          <ol className="paste-list" style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start, key }) => (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="paste-line"
                data-bad={byLine.has(index + 1) || undefined}
                data-current={problems[current]?.line === index + 1 || undefined}
                style={{ top: start }}
                aria-posinset={index + 1}
                aria-setsize={lines.length}
              >
                <span className="paste-number">{index + 1}</span>
                <code className="paste-code">{shorten(lines[index] ?? '')}</code>
                {byLine.get(index + 1)?.map((problem, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: what is said of one line has no other identity.
                  <Problem key={at} problem={problem} />
                ))}
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
  );
}

function Problem({ problem }: { readonly problem: LineProblem }) {
  const { column, path, message, hint } = problem;
  return (
    <p className="paste-problem">
      <Icon name="warning" size={14} />
      <span>
        {column !== undefined && <span className="paste-path">{words.column(column)}</span>}
        {path !== undefined && <span className="paste-path">{path === '' ? words.whole : path}</span>}{' '}
        <strong>{message}.</strong> {hint}
      </span>
    </p>
  );
}

/** What is longer is in the text beside it. */
function shorten(line: string): string {
  return line.length > 1000 ? `${line.slice(0, 1000)}…` : line;
}
