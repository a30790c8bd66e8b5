import './dock.css';
import { useEffect, useState } from 'react';
import { formatSeconds } from '../words/format.ts';

/** How often it is drawn, in milliseconds: as often as its last digit changes. */
const tickMs = 100;

export interface CountdownProps {
  /** When the wait began: ISO 8601, by the server's clock. */
  readonly from: string;
  readonly waitMs: number;
}

/** The rest of a wait. Who listens is told the whole of it, once: else it would be ten times a second. */
export function Countdown({ from, waitMs }: CountdownProps) {
  // The server's clock may be off: the wait is never longer than it is.
  const [due] = useState(() => {
    const rest = Date.parse(from) + waitMs - Date.now();
    return performance.now() + Math.min(waitMs, Math.max(0, rest));
  });
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <span className="countdown" aria-hidden="true">
        {formatSeconds(Math.max(0, due - now))}
      </span>
      <span className="for-ears">{formatSeconds(waitMs)}</span>
    </>
  );
}
