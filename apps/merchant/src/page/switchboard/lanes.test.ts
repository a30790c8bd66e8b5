import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NumberedEvent, StoredEvent } from '../../contract/desk-event.ts';
import type { Outcome } from '../../contract/update-report.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { arrangeLane, foldLanes, type Lanes, pruneLanes } from './lanes.ts';

const token = 'order-1';
const noon = Date.parse('2026-01-01T12:00:00Z');
const noLanes: Lanes = new Map();

function number(events: readonly StoredEvent[]): readonly NumberedEvent[] {
  return events.map((event, index) => ({ seq: index + 1, at: new Date(noon + index).toISOString(), event }));
}

const fold = (events: readonly NumberedEvent[]) => events.reduce(foldLanes, noLanes);
const stagesOf = (lanes: Lanes) => lanes.get(token)?.map(({ id, stage }) => [id, stage.kind]);

function view(id: string, state: UpdateView['state'], attempts = 0): UpdateView {
  const report =
    state === 'queued' || state === 'sending'
      ? null
      : { ok: state === 'applied', outcome: state, attempts, at: '2026-01-01T12:00:00Z' };
  return {
    id,
    token,
    state,
    bodyBytes: 2,
    createdAt: '',
    report,
    decision: null,
    repeats: null,
    sentThrough: 'client',
    round: 0,
  };
}

const queued = (updateId: string): StoredEvent => ({
  kind: 'update_queued',
  token,
  updateId,
  update: view(updateId, 'queued'),
});
const started = (updateId: string, attempt: number): StoredEvent => ({
  kind: 'attempt_started',
  token,
  updateId,
  attempt,
});
const ended = (
  updateId: string,
  attempt: number,
  end: { outcome: Outcome; retryDelayMs?: number },
): StoredEvent => ({ kind: 'attempt_ended', token, updateId, attempt, durationMs: 5, ...end });
const settled = (updateId: string, outcome: Outcome, attempts: number): StoredEvent => ({
  kind: 'update_settled',
  token,
  updateId,
  update: view(updateId, outcome, attempts),
});

/** Two updates of one order; the first is tried twice. */
const story = number([
  queued('a'),
  queued('b'),
  started('a', 1),
  ended('a', 1, { outcome: 'rejected', retryDelayMs: 800 }),
  started('a', 2),
  ended('a', 2, { outcome: 'applied' }),
  started('b', 1),
  settled('a', 'applied', 2),
  ended('b', 1, { outcome: 'unknown' }),
  settled('b', 'unknown', 1),
]);

test('an update that the outbox will send again waits, and one that is sent off anew queues once more', () => {
  const of = { token: 'order-1', updateId: 'a' };
  const events = [
    queued('a'),
    { kind: 'attempt_ended', ...of, attempt: 1, outcome: 'rejected', durationMs: 5, isRetried: true },
    { kind: 'update_settled', ...of, update: view('a', 'rejected') },
    { kind: 'update_reopened', ...of, after: 1, update: { ...view('a', 'queued'), round: 1 } },
  ] as const satisfies readonly StoredEvent[];
  const stages = events.map((_, count) => {
    const told = number(events.slice(0, count + 1));
    const stage = fold(told).get(token)?.[0]?.stage;
    expect(fold(told.toReversed()).get(token)?.[0]?.stage).toEqual(stage);
    return stage;
  });
  expect(stages).toMatchObject([
    { kind: 'queued' },
    { kind: 'waiting', attempt: 2, forMs: undefined },
    { kind: 'done', outcome: 'rejected' },
    { kind: 'queued' },
  ]);
});

test('an update of unknown outcome in the outbox holds its lane until somebody decides', () => {
  const of = { token, updateId: 'a' };
  const unknown: UpdateView = { ...view('a', 'unknown', 1), sentThrough: 'outbox' };
  const decision = 'discarded';
  const events = number([
    queued('a'),
    queued('b'),
    started('a', 1),
    ended('a', 1, { outcome: 'unknown' }),
    { kind: 'update_settled', ...of, update: unknown },
    { kind: 'update_decided', ...of, decision, update: { ...unknown, decision } },
  ]);
  const arrangedAfter = (count: number) => {
    const lanes = fold(events.slice(0, count));
    expect(fold(events.slice(0, count).toReversed())).toEqual(lanes);
    const lane = pruneLanes(lanes, noon + 3_600_000).get(token) ?? [];
    const { current, queued: behind } = arrangeLane(lane);
    return [current?.stage.kind, behind.map(({ id }) => id)];
  };
  expect(arrangedAfter(5)).toEqual(['held', ['b']]);
  expect(arrangedAfter(6)).toEqual([undefined, ['b']]);
  const next = number([...events.map(({ event }) => event), started('b', 1)]);
  expect(arrangeLane(fold(next).get(token) ?? [])).toMatchObject({ current: { id: 'b' }, queued: [] });
});

test('follows each update of an order from stage to stage', () => {
  const stages = story.map((_, index) =>
    fold(story.slice(0, index + 1))
      .get(token)
      ?.map(({ stage }) => stage),
  );
  expect(stages[1]).toEqual([{ kind: 'queued' }, { kind: 'queued' }]);
  expect(stages[2]).toEqual([{ kind: 'sending', attempt: 1 }, { kind: 'queued' }]);
  expect(stages[3]).toEqual([{ kind: 'waiting', attempt: 2, forMs: 800 }, { kind: 'queued' }]);
  expect(stages[4]).toEqual([{ kind: 'sending', attempt: 2 }, { kind: 'queued' }]);
  expect(stages.at(-1)).toEqual([
    { kind: 'done', attempts: 2, outcome: 'applied', isSettled: true },
    { kind: 'done', attempts: 1, outcome: 'unknown', isSettled: true },
  ]);
});

test('never shows two updates of an order on their way at once', () => {
  for (let length = 0; length <= story.length; length++) {
    const lane = fold(story.slice(0, length)).get(token) ?? [];
    const underWay = lane.filter(({ stage }) => stage.kind === 'sending' || stage.kind === 'waiting');
    expect(underWay.length).toBeLessThan(2);
  }
});

test('comes to the same lanes in whatever order events come, and however often', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...story], { minLength: story.length }),
      fc.array(fc.constantFrom(...story)),
      (shuffled, repeated) => {
        expect(fold([...shuffled, ...repeated])).toEqual(fold(story));
      },
    ),
  );
});

test('takes the outcome of the whole update for that of its last attempt', () => {
  const events = number([ended('a', 2, { outcome: 'rejected' }), settled('a', 'unknown', 2)]);
  expect(fold(events).get(token)?.[0]?.stage).toMatchObject({ outcome: 'unknown' });
});

test('lets go of what was done a minute ago, and of nothing that is not done', () => {
  const lanes = fold(number([queued('a'), settled('a', 'applied', 1), queued('b')]));
  expect(stagesOf(pruneLanes(lanes, noon + 60_001))).toEqual([
    ['a', 'done'],
    ['b', 'queued'],
  ]);
  expect(pruneLanes(lanes, noon + 60_001)).toBe(lanes);
  expect(stagesOf(pruneLanes(lanes, noon + 60_002))).toEqual([['b', 'queued']]);
  expect(pruneLanes(fold(story), noon + 120_000)).toEqual(new Map());
});

test('keeps a hundred updates of an order, and lets the oldest that are done go first', () => {
  const names = Array.from({ length: 99 }, (_, index) => `more-${index}`);
  const lanes = fold(
    number([queued('open'), queued('old'), settled('old', 'applied', 1), ...names.map(queued)]),
  );
  expect(lanes.get(token)).toHaveLength(100);
  expect(stagesOf(lanes)?.[0]).toEqual(['open', 'queued']);
  expect(stagesOf(lanes)?.[1]).toEqual(['more-0', 'queued']);
});

test('parts a lane into what is done, newest first, what is on its way, and what waits', () => {
  const lane = fold(
    number([
      ...['a', 'b', 'c', 'd', 'e'].map(queued),
      settled('a', 'applied', 1),
      settled('b', 'rejected', 3),
      started('c', 1),
    ]),
  ).get(token);
  const { done, current, queued: waiting } = arrangeLane(lane ?? []);
  expect(done.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(current).toMatchObject({ id: 'c', stage: { kind: 'sending' } });
  expect(waiting.map(({ id }) => id)).toEqual(['d', 'e']);
});
