import { expect, test } from 'vitest';
import { buildSources, control } from '../../test/control-sources.ts';

const busy = { fault: 'status', status: 503 } as const;
const messageOf = ({ json }: { json: unknown }) =>
  (json as { error: { code: string; message: string } }).error;

test('adds a rule, as the fault script takes it, and shows what waits', async () => {
  const sources = buildSources();
  const body = { when: 'next', play: [busy, { fault: 'empty' }], times: 2 };
  expect(await control(sources, 'POST /faults', { body })).toMatchObject({ status: 200, json: { added: 1 } });
  expect(sources.faults.waiting).toEqual([busy, { fault: 'empty' }, busy, { fault: 'empty' }]);
  expect((await control(sources, 'GET /faults')).json).toEqual({
    waiting: sources.faults.waiting,
    played: [],
    omitted: { waiting: 0, played: 0 },
  });
});

test('adds a list of rules in its order', async () => {
  const sources = buildSources();
  const body = [
    { when: 'next', play: busy },
    { when: 'sometimes', play: busy, probability: 0.5, seed: 1 },
    { when: 'next', play: { fault: 'empty' }, method: 'PATCH' },
  ];
  expect((await control(sources, 'POST /faults', { body })).json).toEqual({ added: 3 });
  expect(sources.faults.waiting).toEqual([busy, { fault: 'empty' }]);
});

test('adds none of a list in which one cannot be used, and says which and why', async () => {
  const sources = buildSources();
  const body = [
    { when: 'next', play: busy },
    { when: 'next', play: busy, times: 0 },
  ];
  const answer = await control(sources, 'POST /faults', { body });
  expect([answer.status, messageOf(answer)]).toEqual([
    422,
    { code: 'fault_refused', message: 'rules[1]: next: times must be a whole number from 1 to 10000.' },
  ]);
  expect(sources.faults.waiting).toEqual([]);
});

test.each([
  [[], 'Give at least one rule.'],
  [5, /^A rule is an object whose field "when" is/],
  [busy, /^A rule is an object whose field "when" is/],
  [{ when: 'next', play: { fault: 'staus' } }, /^A fault is an object whose field "fault" names it/],
  [
    { when: 'next', play: [busy, busy, busy, busy, busy, busy], times: 10_000 },
    /^The faults are more than 50000 in all/,
  ],
])('refuses %j with a hint', async (body, message) => {
  const sources = buildSources();
  const answer = await control(sources, 'POST /faults', { body });
  expect([answer.status, messageOf(answer).code]).toEqual([422, 'fault_refused']);
  expect(messageOf(answer).message).toMatch(message);
  expect(sources.faults.waiting).toEqual([]);
});

test('clears the script', async () => {
  const sources = buildSources();
  sources.faults.next(busy);
  expect(await control(sources, 'DELETE /faults')).toEqual({ status: 204, headers: {}, json: undefined });
  expect(sources.faults.waiting).toEqual([]);
});

test('shows the first thousand that wait and the last thousand that were played', async () => {
  const sources = buildSources();
  sources.faults.next([busy, { fault: 'empty' }], { times: 501 });
  const { json } = await control(sources, 'GET /faults');
  const { waiting, omitted } = json as { waiting: unknown[]; omitted: unknown };
  expect([waiting.length, waiting[0], omitted]).toEqual([1_000, busy, { waiting: 2, played: 0 }]);
});
