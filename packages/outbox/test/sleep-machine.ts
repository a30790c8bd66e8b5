import { onTestFinished, vi } from 'vitest';

let sleptMs = 0;

/**
 * Sets the wall clock of this process ahead until the test ends, as it is once its machine has slept, which counts like any
 * stall. No other test may run meanwhile.
 */
export function sleepMachine(ms: number): void {
  if (sleptMs === 0) {
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + sleptMs);
    onTestFinished(() => {
      clock.mockRestore();
      sleptMs = 0;
    });
  }
  sleptMs += ms;
}
