import { afterAll, beforeAll, vi } from 'vitest';

/** Makes each backoff of the file's clients 0 ms; src/retry.test.ts tests how long they are. */
export function withoutBackoff(): void {
  beforeAll(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
  afterAll(() => void vi.mocked(Math.random).mockRestore());
}
