import type { Clock } from '../src/deadline.ts';

export interface VirtualClock extends Clock {
  /** Lets time pass, as code that blocks the thread does. */
  advance(ms: number): void;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock for timing rules: once nothing else is left to do, it jumps to the timer that is due next. */
export function createVirtualClock(): VirtualClock {
  let now = 0;
  let isRunning = false;
  const timers = new Set<Timer>();
  const run = (): void => {
    let next: Timer | undefined;
    for (const timer of timers) if (!next || timer.at < next.at) next = timer;
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
