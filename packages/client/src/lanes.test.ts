import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { Deadline } from './deadline.ts';
import type { AttemptResult } from './errors.ts';
import { withLanes } from './lanes.ts';

/** Calls in lanes, each of which ends when it is told to. */
function start() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const layer = withLanes((call) => {
    started.push(call.operation.path);
    return new Promise<AttemptResult>((resolve) => ends.set(call.operation.path, resolve as () => void));
  });
  const call = (path: string, lane: string | undefined, signal?: AbortSignal): Promise<unknown> => {
    const operation = { method: 'PATCH', path, lane, idempotent: false, body: '' } as const;
    const deadline = new Deadline(60_000, signal);
    return layer({ operation, deadline, attempts: [] } as unknown as Call);
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

test('a call that gives up waiting lets nothing overtake', async () => {
  const { started, call, end } = start();
  const abort = new AbortController();
  void call('a1', 'a');
  const impatient = call('a2', 'a', abort.signal);
  void call('a3', 'a');
  abort.abort();
  expect(await impatient).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
  await turn();
  expect(started).toEqual(['a1']);
  await end('a1');
  expect(started).toEqual(['a1', 'a3']);
});
