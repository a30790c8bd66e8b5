import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../test/virtual-clock.ts';
import type { Call } from './call.ts';
import { Deadline, systemClock } from './deadline.ts';
import type { AttemptResult } from './errors.ts';
import { withLanes } from './lanes.ts';

/** Calls in lanes with 60 s each, which end when a test says so. */
function start(clock = systemClock) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const lanes = withLanes((call) => {
    started.push(call.operation.path);
    return new Promise<AttemptResult>((resolve) => ends.set(call.operation.path, resolve as () => void));
  });
  const call = (path: string, lane: string | undefined, signal?: AbortSignal): Promise<unknown> => {
    const operation = { method: 'PATCH', path, lane, idempotent: false, body: '' } as const;
    const deadline = new Deadline(60_000, signal, clock);
    const options = { timeouts: { total: 60_000 } };
    return lanes({ operation, options, deadline, attempts: [] } as unknown as Call);
  };
  const end = async (path: string): Promise<void> => {
    ends.get(path)?.();
    await turn();
  };
  return { started, call, end };
}

test('lets the calls of one lane through one after another, and other lanes at once', async () => {
  const { started, call, end } = start();
  for (const path of ['a1', 'a2', 'a3', 'b1']) void call(path, path[0]);
  void call('echo', undefined);
  expect(started).toEqual(['a1', 'b1', 'echo']);
  await end('a1');
  expect(started).toEqual(['a1', 'b1', 'echo', 'a2']);
  await end('a2');
  expect(started).toEqual(['a1', 'b1', 'echo', 'a2', 'a3']);
  await end('a3');
  void call('a4', 'a');
  expect(started.at(-1)).toBe('a4');
});

test('a call that is aborted in its lane lets none overtake', async () => {
  const { started, call, end } = start();
  const abort = new AbortController();
  void call('a1', 'a');
  const aborted = [call('a2', 'a', abort.signal)];
  void call('a3', 'a');
  aborted.push(call('a4', 'a', abort.signal));
  abort.abort();
  for (const result of await Promise.all(aborted))
    expect(result).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  await turn();
  expect(started).toEqual(['a1']);
  await end('a1');
  expect(started).toEqual(['a1', 'a3']);
});

test('a call whose time runs out in its lane is not sent', async () => {
  const { started, call } = start(createVirtualClock());
  void call('a1', 'a');
  expect(await call('a2', 'a')).toMatchObject({
    code: 'timeout',
    outcome: 'not_sent',
    what: 'timed out after 60000 ms (timeouts.total) behind other updates to this order',
  });
  expect(started).toEqual(['a1']);
});
