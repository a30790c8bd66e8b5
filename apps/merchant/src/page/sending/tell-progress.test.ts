import { expect, test } from 'vitest';
import type { UpdateView } from '../../contract/update-view.ts';
import type { AttemptEnd } from '../live/fold-update.ts';
import { tellProgress } from './tell-progress.ts';

const update: UpdateView = {
  id: '00000000-0000-4000-8000-000000000001',
  token: 'order-1',
  state: 'sending',
  bodyBytes: 20,
  createdAt: '2026-01-01T00:00:00.000Z',
  report: null,
  decision: null,
  repeats: null,
  sentThrough: 'client',
  round: 0,
};
const end: AttemptEnd = { at: '2026-01-01T00:00:01.000Z', outcome: 'rejected', status: 429, durationMs: 9 };

test('an update that has not left is queued', () => {
  expect(tellProgress({ update: { ...update, state: 'queued' }, attempts: [], reopenings: [] })).toEqual({
    kind: 'queued',
  });
});

test('an update may be on its way before its first attempt is heard of', () => {
  expect(tellProgress({ update, attempts: [], reopenings: [] })).toEqual({ kind: 'attempt', number: 1 });
});

test('an attempt that ended with a wait leads to the next', () => {
  const attempts = [{ number: 1, end: { ...end, retryDelayMs: 800 } }];
  expect(tellProgress({ update, attempts, reopenings: [] })).toMatchObject({
    kind: 'waiting',
    next: 2,
    waitMs: 800,
  });
});

test('the attempt that goes on is the newest', () => {
  const attempts = [{ number: 1, end: { ...end, retryDelayMs: 800 } }, { number: 2 }];
  expect(tellProgress({ update, attempts, reopenings: [] })).toEqual({ kind: 'attempt', number: 2 });
});

test('an attempt that the outbox will make again is waited for, and nobody knows how long', () => {
  const attempts = [{ number: 1, end: { ...end, isRetried: true } as const }];
  expect(tellProgress({ update, attempts, reopenings: [] })).toEqual({
    kind: 'waiting',
    next: 2,
    end: { ...end, isRetried: true },
  });
});

test('an update that was sent off anew is queued, whatever was attempted before', () => {
  const anew: UpdateView = { ...update, state: 'queued', round: 1 };
  expect(tellProgress({ update: anew, attempts: [{ number: 1, end }], reopenings: [] })).toEqual({
    kind: 'queued',
  });
});

test('a report settles it, whatever was heard of its attempts', () => {
  const report = { ok: false, outcome: 'unknown', attempts: 1, at: end.at } as const;
  const attempts = [{ number: 1, end: { ...end, retryDelayMs: 800 } }];
  expect(tellProgress({ update: { ...update, state: 'unknown', report }, attempts, reopenings: [] })).toEqual(
    {
      kind: 'settled',
      report,
    },
  );
});
