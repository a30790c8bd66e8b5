/**
 * Scrolls the list to the order that is shown. Not by `scrollIntoView`: a browser takes what that was called on for the
 * place from which the Tab key goes on.
 */
export function bringIntoView(link: HTMLElement | null): void {
  // The list runs down on a wide screen and sideways on a narrow one, each in another frame.
  for (const frame of [link?.closest('.rail'), link?.closest('.rail-list')]) {
    if (!link || !frame) continue;
    const outer = frame.getBoundingClientRect();
    const inner = link.getBoundingClientRect();
    frame.scrollTop += beyond([inner.top, inner.bottom], [outer.top, outer.bottom]);
    frame.scrollLeft += beyond([inner.left, inner.right], [outer.left, outer.right]);
  }
}

type Span = readonly [start: number, end: number];

/** How far a span lies beyond a frame: negative before it, positive after it. */
function beyond([start, end]: Span, [first, last]: Span): number {
  if (start < first) return start - first;
  return Math.max(0, end - last);
}
