import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NumberedEvent, StoredEvent } from '../../contract/desk-event.ts';
import type { UpdateReport } from '../../contract/update-report.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { foldUpdate, type LiveUpdate, readLiveUpdate } from './fold-update.ts';

const id = '00000000-0000-4000-8000-000000000001';
const of = { token: 'order-1', updateId: id };
const report: UpdateReport = { ok: true, outcome: 'applied', attempts: 2, at: '2026-01-01T00:00:03.000Z' };
const queued: UpdateView = {
  id,
  token: 'order-1',
  state: 'queued',
  bodyBytes: 20,
  createdAt: '2026-01-01T00:00:00.000Z',
  report: null,
  decision: null,
  repeats: null,
  sentThrough: 'client',
  round: 0,
};

const story: readonly NumberedEvent[] = (
  [
    { kind: 'update_queued', ...of, update: queued },
    { kind: 'attempt_started', ...of, attempt: 1 },
    {
      kind: 'attempt_ended',
      ...of,
      attempt: 1,
      outcome: 'rejected',
      status: 429,
      error: 'http_error',
      durationMs: 12,
      retryDelayMs: 800,
    },
    { kind: 'attempt_started', ...of, attempt: 2 },
    { kind: 'attempt_ended', ...of, attempt: 2, outcome: 'applied', status: 200, durationMs: 9 },
    { kind: 'update_settled', ...of, update: { ...queued, state: 'applied', report } },
  ] satisfies StoredEvent[]
).map((event, index) => ({ seq: index + 1, at: `2026-01-01T00:00:0${index}.000Z`, event }));

const before: LiveUpdate = { update: queued, attempts: [], reopenings: [] };
const told = (count: number) => story.slice(0, count).reduce(foldUpdate, before);

test('tells a 429 that recovers, step by step', () => {
  expect(told(1)).toEqual(before);
  expect(told(2)).toEqual({
    update: { ...queued, state: 'sending' },
    attempts: [{ number: 1, startedAt: '2026-01-01T00:00:01.000Z' }],
    reopenings: [],
  });
  expect(told(3).attempts).toEqual([
    {
      number: 1,
      startedAt: '2026-01-01T00:00:01.000Z',
      end: {
        at: '2026-01-01T00:00:02.000Z',
        outcome: 'rejected',
        status: 429,
        error: 'http_error',
        durationMs: 12,
        retryDelayMs: 800,
      },
    },
  ]);
  expect(told(4).attempts.map(({ number, end }) => [number, end?.status])).toEqual([
    [1, 429],
    [2, undefined],
  ]);
  expect(told(6).update).toEqual({ ...queued, state: 'applied', report });
});

test('comes to the same whatever is repeated and however late it comes', () => {
  const whole = told(story.length);
  const anyOrder = fc
    .tuple(
      fc.shuffledSubarray([...story], { minLength: story.length }),
      fc.array(fc.constantFrom(...story), { maxLength: 6 }),
    )
    .map(([all, again]) => [...all, ...again]);
  fc.assert(
    fc.property(anyOrder, (events) => {
      expect(events.reduce(foldUpdate, before)).toEqual(whole);
    }),
  );
});

/** Unknown, sent again by a person, and applied at the second attempt. */
const reopenedStory: readonly NumberedEvent[] = (
  [
    { kind: 'update_queued', ...of, update: queued },
    { kind: 'attempt_started', ...of, attempt: 1 },
    { kind: 'attempt_ended', ...of, attempt: 1, outcome: 'unknown', durationMs: 12 },
    {
      kind: 'update_settled',
      ...of,
      update: { ...queued, state: 'unknown', report: { ...report, outcome: 'unknown' } },
    },
    { kind: 'update_reopened', ...of, after: 1, update: { ...queued, round: 1 } },
    { kind: 'attempt_started', ...of, attempt: 2, round: 1 },
    { kind: 'attempt_ended', ...of, attempt: 2, round: 1, outcome: 'applied', durationMs: 9 },
    { kind: 'update_settled', ...of, update: { ...queued, round: 1, state: 'applied', report } },
  ] satisfies StoredEvent[]
).map((event, index) => ({ seq: index + 1, at: `2026-01-01T00:00:0${index}.000Z`, event }));

test('tells an update that is sent off anew as queued, and comes to the same in any order', () => {
  const upTo = (count: number) => reopenedStory.slice(0, count).reduce(foldUpdate, before);
  expect(upTo(5).update).toEqual({ ...queued, round: 1 });
  expect(upTo(5).reopenings).toEqual([{ round: 1, at: '2026-01-01T00:00:04.000Z', after: 1 }]);
  expect(upTo(6).update).toMatchObject({ state: 'sending', round: 1, report: null });
  fc.assert(
    fc.property(fc.shuffledSubarray([...reopenedStory], { minLength: reopenedStory.length }), (events) => {
      expect(events.reduce(foldUpdate, before)).toEqual(upTo(reopenedStory.length));
    }),
  );
});

test('a late event never takes back what is settled or decided', () => {
  const unknown: UpdateView = { ...queued, state: 'unknown', report: { ...report, outcome: 'unknown' } };
  const decided: UpdateView = { ...unknown, decision: 'discarded' };
  const settledEvent = { kind: 'update_settled', ...of, update: unknown } as const;
  const after = foldUpdate(
    { update: decided, attempts: [], reopenings: [] },
    { seq: 9, at: '2026-01-01T00:00:09.000Z', event: settledEvent },
  );
  expect(after.update).toEqual(decided);
});

test('leaves events of other updates and of the order alone', () => {
  const other = {
    seq: 7,
    at: '',
    event: { kind: 'attempt_started', ...of, updateId: 'another', attempt: 1 },
  };
  const scan = { seq: 8, at: '', event: { kind: 'qr_session', token: 'order-1', sessionId: 'qr-1' } };
  expect(foldUpdate(before, other as NumberedEvent)).toBe(before);
  expect(foldUpdate(before, scan as NumberedEvent)).toBe(before);
});

test('reads an update from its view and events alike', () => {
  expect(readLiveUpdate({ ...queued, state: 'applied', report }, story)).toEqual(told(story.length));
});
