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
};
const end: AttemptEnd = { at: '2026-01-01T00:00:01.000Z', outcome: 'rejected', status: 503, durationMs: 9 };

test('an update that has not left is queued', () => {
  expect(tellProgress({ update: { ...update, state: 'queued' }, attempts: [] })).toEqual({ kind: 'queued' });
});

test('an update may be on its way before its first attempt is heard of', () => {
  expect(tellProgress({ update, attempts: [] })).toEqual({ kind: 'attempt', number: 1 });
});

test('an attempt that ended with a wait leads to the next', () => {
  const attempts = [{ number: 1, end: { ...end, retryInMs: 800 } }];
  expect(tellProgress({ update, attempts })).toMatchObject({ kind: 'waiting', next: 2, waitMs: 800 });
});

test('the attempt that goes on is the newest', () => {
  const attempts = [{ number: 1, end: { ...end, retryInMs: 800 } }, { number: 2 }];
  expect(tellProgress({ update, attempts })).toEqual({ kind: 'attempt', number: 2 });
});

test('a report settles it, whatever was heard of its attempts', () => {
  const report = { ok: false, outcome: 'unknown', attempts: 1, at: end.at } as const;
  const attempts = [{ number: 1, end: { ...end, retryInMs: 800 } }];
  expect(tellProgress({ update: { ...update, state: 'unknown', report }, attempts })).toEqual({
    kind: 'settled',
    report,
  });
});
