import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { drawnRows } from './drawn-rows.ts';

/** How high a line is about, in pixels, in each of the layouts that cart.css knows; drawn lines are measured. */
const heights = { wide: 42, middle: 92, narrow: 318 } as const;

interface LineRow {
  readonly index: number;
  readonly id: string;
  /** From the top of the list, in pixels. */
  readonly top: number;
}

export interface LineRows {
  readonly rows: readonly LineRow[];
  /** Height of the whole list, in pixels. */
  readonly height: number;
  /** Measures a row that is drawn; it carries its index as `data-index`. */
  readonly measure: (row: HTMLElement | null) => void;
}

/** The lines that are drawn of a cart that may be long; the window is what scrolls. */
export function useLineRows(
  list: RefObject<HTMLElement | null>,
  ids: readonly string[],
  kept: readonly number[],
): LineRows {
  const { top, layout } = usePlace(list);
  const virtualizer = useWindowVirtualizer({
    count: ids.length,
    getItemKey: useCallback((index: number) => ids[index] ?? index, [ids]),
    estimateSize: useCallback(() => heights[layout], [layout]),
    overscan: 6,
    scrollMargin: top,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) =>
      drawnRows({ first: startIndex - overscan, last: endIndex + overscan, count }, kept),
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured in another layout is of no use.
  useLayoutEffect(() => virtualizer.measure(), [layout, virtualizer]);

  return {
    rows: virtualizer.getVirtualItems().flatMap(({ index, start }) => {
      const id = ids[index];
      return id === undefined ? [] : [{ index, id, top: start - top }];
    }),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
  };
}

/** Where on the page the list begins, and which layout its width gives it. */
function usePlace(list: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState<{ top: number; layout: keyof typeof heights }>({
    top: 0,
    layout: 'wide',
  });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      const top = Math.round(element.getBoundingClientRect().top + window.scrollY);
      const layout = layoutOf(element.clientWidth);
      setPlace((before) => (before.top === top && before.layout === layout ? before : { top, layout }));
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, [list]);
  return place;
}

/** The same widths as the container queries of cart.css. */
function layoutOf(width: number): keyof typeof heights {
  if (width === 0 || width >= 820) return 'wide';
  return width >= 500 ? 'middle' : 'narrow';
}
