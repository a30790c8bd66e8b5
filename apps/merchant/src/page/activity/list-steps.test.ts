import { expect, test } from 'vitest';
import type { UpdateView } from '../../contract/update-view.ts';
import type { AttemptEnd } from '../live/fold-update.ts';
import { listSteps } from './list-steps.ts';

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
const busy: AttemptEnd = {
  at: '2026-01-01T00:00:01.000Z',
  outcome: 'rejected',
  status: 429,
  durationMs: 9,
  retryDelayMs: 800,
};
const report = { ok: true, outcome: 'applied', attempts: 2, at: '2026-01-01T00:00:03.000Z' } as const;

test('a wait goes on until the next attempt begins', () => {
  const attempts = [{ number: 1, end: busy }];
  expect(listSteps({ update, attempts, reopenings: [] })).toEqual([
    { kind: 'queued', at: update.createdAt },
    { kind: 'attempt', number: 1, end: busy },
    { kind: 'wait', number: 1, from: busy.at, waitMs: 800, isOver: false },
  ]);
  expect(listSteps({ update, attempts: [...attempts, { number: 2 }], reopenings: [] }).slice(2)).toEqual([
    { kind: 'wait', number: 1, from: busy.at, waitMs: 800, isOver: true },
    { kind: 'attempt', number: 2, end: undefined },
  ]);
});

test('a wait of the outbox is as long as it was, and what was sent off anew is told in its place', () => {
  const { retryDelayMs: _, ...end } = busy;
  const attempts = [
    { number: 1, end: { ...end, isRetried: true } as const },
    { number: 2, startedAt: '2026-01-01T00:00:01.700Z', end },
  ];
  const reopenings = [{ round: 1, at: '2026-01-01T00:00:02.000Z', after: 2 }];
  expect(listSteps({ update, attempts: attempts.slice(0, 1), reopenings: [] }).slice(2)).toEqual([
    { kind: 'wait', number: 1, from: busy.at, waitMs: undefined, isOver: false },
  ]);
  expect(listSteps({ update, attempts, reopenings }).slice(2)).toEqual([
    { kind: 'wait', number: 1, from: busy.at, waitMs: 700, isOver: true },
    { kind: 'attempt', number: 2, end },
    { kind: 'reopened', number: 1, at: '2026-01-01T00:00:02.000Z' },
  ]);
});

test('a wait that was broken off is over once the update is settled', () => {
  const settled: UpdateView = { ...update, state: 'not_sent', report: { ...report, outcome: 'not_sent' } };
  expect(
    listSteps({ update: settled, attempts: [{ number: 1, end: busy }], reopenings: [] }).slice(2),
  ).toEqual([
    { kind: 'wait', number: 1, from: busy.at, waitMs: 800, isOver: true },
    { kind: 'settled', state: 'not_sent', at: report.at },
  ]);
});
