import { type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * Takes the focus to the heading of a view that was navigated to, as soon as it is there, unless the user has gone on
 * meanwhile. The first view of a page gets none: the browser has placed the focus already.
 */
export function useViewFocus(): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  const [location] = useLocation();
  const shown = useRef<string>(undefined);
  const hasBegun = useRef(false);

  useEffect(() => {
    if (!frame.current || shown.current === location) return;
    shown.current = location;
    if (!hasBegun.current) {
      // From the root, the page leads on to the first order by itself.
      hasBegun.current = location !== '/';
      return;
    }
    window.scrollTo(0, 0);
    return focusHeading(frame.current);
  }, [location]);
  return frame;
}

function focusHeading(frame: HTMLElement): () => void {
  const from = document.activeElement;
  const observer = new MutationObserver(look);
  function look(): void {
    const heading = frame.querySelector<HTMLElement>('main h1');
    if (!heading) return;
    observer.disconnect();
    const hasGoneOn = document.activeElement !== from && document.activeElement !== document.body;
    if (hasGoneOn) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  observer.observe(frame, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}
