import { vi } from 'vitest';

/** The time of this process while it is held. */
export interface HeldTime extends Disposable {
  /** Lets so many milliseconds pass at once, and their timers fire. */
  pass(ms: number): void;
}

/** Holds the clock and the timers of this process, so that a timeout comes after what it must come after on any machine. */
export function holdTime(): HeldTime {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return {
    pass: (ms) => void vi.advanceTimersByTime(ms),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}
