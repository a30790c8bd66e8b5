import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { ECHO_PATH, orderPath, send } from '../../../test/send.ts';
import { startOrderService } from '../order-service.ts';
import { readRequestTarget } from '../request-target.ts';
import type { Fault } from './fault.ts';
import type { FaultRule, SometimesOptions } from './fault-rule.ts';
import { createFaultSource } from './fault-script.ts';

const status = (code: number) => ({ fault: 'status', status: code }) as const;
const none = { fault: 'none' } as const;

/** A script, and what a request that it sees meets: a status, or 200 for nothing. */
function createScript(...rules: readonly FaultRule[]) {
  const source = createFaultSource(rules);
  let count = 0;
  const meet = (target = orderPath('a'), method = 'PATCH'): number => {
    const named = readRequestTarget(target);
    const resource = 'resource' in named ? named.resource : undefined;
    const operation = resource === 'order' ? 'update' : resource === 'echo' ? 'echo' : undefined;
    const token = 'token' in named ? named.token : undefined;
    const fault = source.onRequest({ method, operation, token }, `req_${++count}`, {});
    return fault?.fault === 'status' ? fault.status : 200;
  };
  const meetMany = (length: number) => Array.from({ length }, () => meet());
  return { ...source, meet, meetMany, faults: source.script };
}

test('lets nothing go wrong unless told', () => {
  const { meetMany, onAccept, faults } = createScript();
  expect(meetMany(3)).toEqual([200, 200, 200]);
  expect(onAccept()).toBeUndefined();
  expect(faults.played).toEqual([]);
});

test('plays each fault of `next` once, in order', () => {
  const { faults, meetMany } = createScript();
  faults.next(status(501));
  faults.next([status(502), status(503)]);
  expect(faults.waiting).toEqual([status(501), status(502), status(503)]);
  expect(meetMany(5)).toEqual([501, 502, 503, 200, 200]);
  expect(faults.waiting).toEqual([]);
});

test('plays a list as often as told', () => {
  const { faults, meetMany } = createScript();
  faults.next([status(501), status(502)], { times: 2 });
  expect(meetMany(5)).toEqual([501, 502, 501, 502, 200]);
});

test('lets a request pass where a list holds none', () => {
  const { faults, meetMany } = createScript();
  faults.next([none, status(501), none, status(502)]);
  expect(meetMany(5)).toEqual([200, 501, 200, 502, 200]);
  expect(faults.played.map(({ requestId }) => requestId)).toEqual(['req_2', 'req_4']);
});

test('plays `always` until cleared', () => {
  const { faults, meetMany } = createScript();
  faults.always(status(503));
  expect(meetMany(3)).toEqual([503, 503, 503]);
  faults.clear();
  expect(meetMany(2)).toEqual([200, 200]);
  expect(faults.played).toHaveLength(3);
});

test('clears what waits and what happens sometimes', () => {
  const { faults, meetMany } = createScript();
  faults.next(status(501), { times: 10 });
  faults.sometimes(status(502), { probability: 1 });
  faults.clear();
  expect(faults.waiting).toEqual([]);
  expect(meetMany(3)).toEqual([200, 200, 200]);
});

test('plays `next` before `sometimes` before `always`, and what was scripted first before the rest', () => {
  const { faults, meetMany } = createScript();
  faults.always(status(501));
  faults.always(status(502));
  faults.sometimes(status(503), { probability: 0 });
  expect(meetMany(1)).toEqual([501]);
  faults.sometimes(status(504), { probability: 1 });
  faults.sometimes(status(505), { probability: 1 });
  faults.next(status(506));
  expect(meetMany(2)).toEqual([506, 504]);
});

test('lets through what a filter does not name', () => {
  const echo = [ECHO_PATH, 'GET'] as const;
  const rows: readonly (readonly [object, readonly number[]])[] = [
    [{}, [503, 503, 503, 503, 503]],
    [{ token: 'a' }, [503, 200, 200, 503, 200]],
    [{ token: 'b/c' }, [200, 503, 200, 200, 200]],
    [{ operation: 'update' }, [503, 503, 200, 503, 200]],
    [{ operation: 'echo' }, [200, 200, 503, 200, 200]],
    [{ method: 'PUT' }, [200, 200, 200, 503, 200]],
    [{ method: 'GET', operation: 'echo' }, [200, 200, 503, 200, 200]],
    [{ method: 'GET', token: 'a' }, [200, 200, 200, 200, 200]],
  ];
  for (const [filter, met] of rows) {
    const { faults, meet } = createScript();
    faults.always(status(503), filter);
    expect([
      meet(orderPath('a')),
      meet(orderPath('b/c')),
      meet(...echo),
      meet(orderPath('a'), 'PUT'),
      meet('/elsewhere'),
    ]).toEqual(met);
  }
});

test('keeps a fault of `next` until a request comes that it is for', () => {
  const { faults, meet } = createScript();
  faults.next(status(501), { token: 'b' });
  faults.next(status(502));
  expect([meet(orderPath('a')), meet(orderPath('a')), meet(orderPath('b'))]).toEqual([502, 200, 501]);
});

test('spares one order from what hits all others', () => {
  const { faults, meet } = createScript();
  faults.always(none, { token: 'a' });
  faults.always(status(503));
  expect([meet(orderPath('a')), meet(orderPath('b'))]).toEqual([200, 503]);
});

test('plays `sometimes` about as often as told, to the same requests for each seed', () => {
  const play = (options: SometimesOptions) => {
    const { faults, meetMany } = createScript();
    faults.sometimes([status(501), status(502)], options);
    return meetMany(5_000)
      .map((met, index) => (met === 200 ? '' : `${index}:${met}`))
      .filter(Boolean);
  };
  const played = play({ probability: 0.1, seed: 7 });
  expect(play({ probability: 0.1, seed: 7 })).toEqual(played);
  expect(play({ probability: 0.1, seed: 8 })).not.toEqual(played);
  expect(play({ probability: 0.1 })).toEqual(play({ probability: 0.1, seed: 1 }));
  expect(Math.abs(played.length - 500)).toBeLessThan(100);
  expect(Math.abs(played.filter((text) => text.endsWith('501')).length - 250)).toBeLessThan(75);
  expect(play({ probability: 0 })).toEqual([]);
  expect(play({ probability: 1 })).toHaveLength(5_000);
});

test('rolls only for requests that the filter names', () => {
  const withOthers = createScript();
  const alone = createScript();
  for (const { faults } of [withOthers, alone]) {
    faults.sometimes(status(503), { probability: 0.5, seed: 3, token: 'a' });
  }
  const met = Array.from({ length: 50 }, () => {
    withOthers.meet(orderPath('b'));
    return withOthers.meet(orderPath('a'));
  });
  expect(met).toEqual(alone.meetMany(50));
});

test('meets connections with a reset on accept and requests with the rest, even from one list', () => {
  const { faults, meet, onAccept } = createScript();
  faults.next([{ fault: 'reset_on_accept' }, status(503)]);
  expect([meet(), meet(), onAccept(), onAccept()]).toEqual([
    503,
    200,
    { fault: 'reset_on_accept' },
    undefined,
  ]);
  faults.sometimes([{ fault: 'reset_on_accept' }, status(503)], { probability: 1 });
  expect([meet(), onAccept(), meet()]).toEqual([503, { fault: 'reset_on_accept' }, 503]);
  faults.clear();
  faults.always({ fault: 'reset_on_accept' });
  expect([meet(), onAccept(), onAccept()]).toMatchObject([200, {}, {}]);
});

test('rolls for requests alike however many connections carry them', () => {
  const play = (connections: number) => {
    const { faults, meet, onAccept } = createScript();
    faults.sometimes([{ fault: 'reset_on_accept' }, status(503)], { probability: 0.3, seed: 5 });
    return Array.from({ length: 50 }, () => {
      for (let count = 0; count < connections; count += 1) onAccept();
      return meet();
    });
  };
  expect(play(3)).toEqual(play(0));
});

test('tells what was played, to which request, in order', () => {
  const { faults, meetMany, onAccept } = createScript();
  faults.next([status(501), { fault: 'reset_on_accept' }, status(502)]);
  meetMany(1);
  onAccept();
  meetMany(2);
  expect(faults.played).toEqual([
    { fault: status(501), requestId: 'req_1' },
    { fault: { fault: 'reset_on_accept' }, requestId: undefined },
    { fault: status(502), requestId: 'req_2' },
  ]);
});

test('does the same by plain objects of JSON, at the start or later', () => {
  const rules: readonly FaultRule[] = [
    { when: 'always', play: status(501), token: 'a' },
    { when: 'next', play: [status(502), none], times: 2 },
    { when: 'sometimes', play: status(503), probability: 1, seed: 4, operation: 'update' },
  ];
  const atStart = createScript(...rules);
  const later = createScript();
  for (const rule of rules) later.faults.add(JSON.parse(JSON.stringify(rule)));
  const met = atStart.meetMany(6);
  expect(met).toEqual([502, 200, 502, 200, 503, 503]);
  expect(later.meetMany(6)).toEqual(met);
});

test('begins with the faults given at the start, over a real socket', async () => {
  const faults: FaultRule[] = [{ when: 'next', play: status(503), operation: 'update' }];
  await using service = await startOrderService({ faults });
  expect((await send(service, { method: 'GET', path: ECHO_PATH })).status).toBe(200);
  expect([(await send(service)).status, (await send(service)).status]).toEqual([503, 200]);
  expect(service.faults.played).toEqual([{ fault: status(503), requestId: 'req_2' }]);
  expect(service.journal.map(({ fault }) => fault)).toEqual([undefined, status(503), undefined]);
});

test('keeps a script from being changed from outside', () => {
  const { faults, meet } = createScript();
  const fault = { fault: 'status' as const, status: 503, headers: { 'retry-after': '1' } };
  faults.always(fault);
  fault.status = 200;
  fault.headers['retry-after'] = '2';
  expect(meet()).toBe(503);
  const [played] = faults.played;
  expect(played?.fault).toEqual({ fault: 'status', status: 503, headers: { 'retry-after': '1' } });
  expect(Object.isFrozen(played?.fault)).toBe(true);
});

test.each<[unknown, string]>([
  [{ when: 'never', play: none }, 'field "when"'],
  [{ when: ['next'], play: none }, 'field "when"'],
  [{ when: { toString: null }, play: none }, 'field "when"'],
  [null, 'field "when"'],
  [{ when: 'next', play: [] }, 'at least one fault'],
  [{ when: 'next' }, 'A fault is an object'],
  [{ when: 'next', play: null }, 'A fault is an object'],
  [{ when: 'next', play: { fault: 'statsu' } }, 'names it: reset_on_accept, '],
  [{ when: 'next', play: { fault: 'toString' } }, 'names it: '],
  [{ when: 'next', play: { fault: 'none', applied: true } }, 'unknown option "applied". Known: fault.'],
  [{ when: 'next', play: { fault: 'status' } }, 'status must be a whole number from 200 to 999'],
  [{ when: 'next', play: { fault: 'status', status: 199 } }, 'from 200 to 999'],
  [{ when: 'next', play: { fault: 'status', status: 503, retryAfter: 2 } }, 'unknown option "retryAfter"'],
  [{ when: 'next', play: { fault: 'status', status: 503, headers: { a: 1 } } }, 'headers must be an object'],
  [{ when: 'next', play: { fault: 'status', status: 503, headers: { 'a b': '1' } } }, 'headers must be'],
  [{ when: 'next', play: { fault: 'status', status: 503, headers: { a: '1\r\nb: 2' } } }, 'headers must be'],
  [{ when: 'next', play: { fault: 'status', status: 503, applied: 1 } }, 'applied must be true or false'],
  [{ when: 'next', play: { fault: 'redirect', status: 304 } }, '301 or 302 or 303 or 307 or 308'],
  [{ when: 'next', play: { fault: 'redirect', location: 'a\nb' } }, 'a string that a header can hold'],
  [{ when: 'next', play: { fault: 'latency' } }, 'ms must be a whole number'],
  [{ when: 'next', play: { fault: 'latency', ms: 2 ** 31 } }, 'ms must be a whole number'],
  [{ when: 'next', play: { fault: 'slow_drip', intervalMs: -1 } }, 'intervalMs must be'],
  [{ when: 'next', play: { fault: 'reset_after_applying', applied: false } }, 'applied must be true.'],
  [{ when: 'next', play: { fault: 'reset_before_applying', applied: true } }, 'applied must be false.'],
  [{ when: 'next', play: none, times: 0 }, 'times must be a whole number from 1 to 10000'],
  [{ when: 'next', play: none, operation: 'delete' }, 'operation must be "update" or "echo"'],
  [{ when: 'next', play: none, tokn: 'a' }, 'unknown option "tokn". Did you mean "token"?'],
  [{ when: 'always', play: none, times: 2 }, 'unknown option "times"'],
  [{ when: 'always', play: [none, none] }, 'always: give one fault'],
  [{ when: 'always', play: { fault: 'reset_on_accept' }, token: 'a' }, 'takes no filter'],
  [{ when: 'sometimes', play: none }, 'probability must be a number from 0 to 1'],
  [{ when: 'sometimes', play: none, probability: 2 }, 'probability must be a number from 0 to 1'],
  [{ when: 'sometimes', play: none, probability: Number.NaN }, 'probability must be'],
  [{ when: 'sometimes', play: none, probability: 1, seed: -1 }, 'seed must be a whole number'],
])('refuses the rule %j and says what to write', async (rule, message) => {
  const { faults } = createScript();
  const add = () => faults.add(rule as FaultRule);
  expect(add).toThrow(TypeError);
  expect(add).toThrow(message);
  expect(faults.waiting).toEqual([]);
  await expect(startOrderService({ faults: [rule as FaultRule] })).rejects.toThrow(TypeError);
});

test('throws nothing but a TypeError, whatever it is given', () => {
  const names = fc.constantFrom('status', 'latency', 'garbage', 'redirect', 'truncation', 'x');
  const play = fc.record(
    { fault: names, status: fc.anything(), headers: fc.anything() },
    { requiredKeys: [] },
  );
  const rule = fc.record({ when: fc.constantFrom('next', 'always', 'sometimes'), play, x: fc.anything() });
  fc.assert(
    fc.property(fc.oneof(rule, fc.anything()), (given) => {
      try {
        createScript().faults.add(given as FaultRule);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
    }),
  );
});

test('knows the fields of each fault', () => {
  expectTypeOf<Fault['fault']>().toExtend<string>();
  // @ts-expect-error A status is needed.
  const statusless: Fault = { fault: 'status' };
  // @ts-expect-error There is no such fault.
  const misspelled: Fault = { fault: 'statsu', status: 503 };
  // @ts-expect-error The field belongs to another fault.
  const misplaced: Fault = { fault: 'truncation', intervalMs: 5 };
  // @ts-expect-error Its name says that it is applied.
  const contradicting: Fault = { fault: 'reset_after_applying', applied: false };
  // @ts-expect-error A probability is needed.
  const improbable: FaultRule = { when: 'sometimes', play: none };
  expect([statusless, misspelled, misplaced, contradicting, improbable]).toHaveLength(5);
});
