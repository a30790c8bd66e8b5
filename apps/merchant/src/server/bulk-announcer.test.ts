import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBulkAnnouncer } from './bulk-announcer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('tells many changes once, a quarter of a second after the first', () => {
  const tell = vi.fn();
  const announcer = createBulkAnnouncer(tell);
  for (let change = 0; change < 100; change++) {
    announcer.soon();
    vi.advanceTimersByTime(10);
  }
  expect(tell).toHaveBeenCalledTimes(4);
  vi.advanceTimersByTime(1_000);
  expect(tell).toHaveBeenCalledTimes(4);
});

test('tells at once what must be, and not again what was to come', () => {
  const tell = vi.fn();
  const announcer = createBulkAnnouncer(tell);
  announcer.soon();
  announcer.now();
  expect(tell).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(tell).toHaveBeenCalledTimes(1);
});

test('tells nothing once it has ended', () => {
  const tell = vi.fn();
  const announcer = createBulkAnnouncer(tell);
  announcer.soon();
  announcer.end();
  announcer.soon();
  announcer.now();
  vi.advanceTimersByTime(1_000);
  expect(tell).not.toHaveBeenCalled();
});
