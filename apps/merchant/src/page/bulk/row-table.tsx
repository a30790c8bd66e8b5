import './rows.css';
import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import type { BulkRowState, BulkView } from '../../contract/bulk-view.ts';
import { bulkWords } from '../words/bulk.ts';
import { shellWords } from '../words/shell.ts';
import { RowCells } from './row-cells.tsx';
import { useBulkRows } from './use-bulk-rows.ts';

const words = bulkWords.table;
const columns = ['row', 'line', 'token', 'state', 'what', 'more'] as const;

/** Height of a row that says one line, in pixels. */
const rowHeight = 45;

export interface RowTableProps {
  readonly bulk: BulkView;
  /** The state whose rows are shown; `undefined` for all. */
  readonly state: BulkRowState | undefined;
}

/** The rows of a file; only those in view are drawn and fetched. */
export function RowTable({ bulk, state }: RowTableProps) {
  const frame = useRef<HTMLElement>(null);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const rows = useBulkRows({ id: bulk.id, state, ...range });
  const count = rows.total ?? (state ? (bulk.counts[state] ?? 0) : bulk.rows);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    onChange: ({ range: seen }) => {
      const first = seen?.startIndex ?? 0;
      const last = seen?.endIndex ?? 0;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    },
  });

  const toggle = (row: number) =>
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(row)) after.add(row);
      return after;
    });

  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="rows" ref={frame} tabIndex={0} aria-label={words.label}>
        <table aria-rowcount={count + 1}>
          <thead>
            <tr className="row" aria-rowindex={1}>
              {columns.map((name) => (
                <th key={name} scope="col" className={`row-${name}`}>
                  {words.columns[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start }) => (
              <tr
                key={index}
                ref={virtualizer.measureElement}
                data-index={index}
                className="row"
                style={{ transform: `translateY(${start}px)` }}
                aria-rowindex={index + 2}
              >
                <RowCells row={rows.at(index)} opened={opened} onToggle={toggle} />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className="rows-said" role="status">
        {rows.isError ? (
          <>
            {words.failed}{' '}
            <Button variant="default" size="compact-xs" onClick={rows.retry}>
              {shellWords.retry}
            </Button>
          </>
        ) : (
          count === 0 && words.none
        )}
      </div>
    </>
  );
}
