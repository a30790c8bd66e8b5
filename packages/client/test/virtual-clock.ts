import type { Clock } from '../src/deadline.ts';

export interface VirtualClock extends Clock {
  /** Lets time pass, as code that blocks the thread does. */
  advance(ms: number): void;
}

/** A clock for timing rules: once nothing else is left to do, it jumps to the timer that is due next. */
export function createVirtualClock(): VirtualClock {
  let now = 0;
  let isRunning = false;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const run = (): void => {
    const [next] = [...timers].sort((a, b) => a.at - b.at);
    isRunning = next !== undefined;
    if (!next) return;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.run();
    setImmediate(run);
  };
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    setTimer(fire, ms) {
      const timer = { at: now + ms, run: fire };
      timers.add(timer);
      if (!isRunning) setImmediate(run);
      isRunning = true;
      return () => timers.delete(timer);
    },
  };
}
