import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { freePort } from '../../../../.ci/free-ports.ts';
import { ECHO_PATH, send } from '../../test/send.ts';
import { appliesUpdate, type Fault, readFault, type Scenario, scenarios } from './fault.ts';
import {
  createFaultSource,
  createSeededRandom,
  type FaultRule,
  type RequestFacts,
  type SometimesOptions,
} from './fault-script.ts';
import { startMockOrderService } from './mock-order-service.ts';

const status = (code: number) => ({ type: 'status', status: code }) as const;
const none = { type: 'none' } as const;
const onAccept = { type: 'reset_on_accept' } as const;

/** A script, the statuses that requests meet (200 without a fault), and how long the service was down. */
function createScript(...rules: readonly FaultRule[]) {
  const downs: (number | 'up')[] = [];
  const source = createFaultSource(
    rules,
    { goDown: (ms) => downs.push(ms), goUp: () => downs.push('up') },
    Number.POSITIVE_INFINITY,
  );
  let count = 0;
  const meet = (facts: Partial<RequestFacts> = {}): number => {
    const fault = source.onRequest(
      { token: 'a', operation: 'update', method: 'PATCH', ...facts },
      `req_${++count}`,
      {},
    );
    return fault?.type === 'status' ? fault.status : 200;
  };
  const meetMany = (length: number) => Array.from({ length }, () => meet());
  return { ...source, downs, meet, meetMany, faults: source.script };
}

test('`next` plays each fault once, in order, and a list `times` times', () => {
  const { faults, meetMany } = createScript();
  faults.next(status(501));
  faults.next([status(502), status(503)], { times: 2 });
  expect(faults.waiting.map((fault) => 'status' in fault && fault.status)).toEqual([501, 502, 503, 502, 503]);
  expect(meetMany(6)).toEqual([501, 502, 503, 502, 503, 200]);
  expect(faults.waiting).toEqual([]);
});

test('`none` lets a request pass, and is not played', () => {
  const { faults, meetMany } = createScript();
  faults.next([none, status(501), none, status(502)]);
  expect(meetMany(5)).toEqual([200, 501, 200, 502, 200]);
  expect(faults.played.map(({ requestId }) => requestId)).toEqual(['req_2', 'req_4']);
});

test('clear() ends `always`, `sometimes` and `next`, and keeps `played`', () => {
  const { faults, meetMany } = createScript();
  faults.always(status(503));
  expect(meetMany(3)).toEqual([503, 503, 503]);
  faults.next(status(501), { times: 10 });
  faults.sometimes(status(502), { probability: 1 });
  faults.clear();
  expect(faults.waiting).toEqual([]);
  expect(meetMany(2)).toEqual([200, 200]);
  expect(faults.played).toHaveLength(3);
});

test('`next` comes before `sometimes`, which comes before `always`; within each, the first rule wins', () => {
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

test.each<[object, readonly number[]]>([
  [{}, [503, 503, 503, 503, 503]],
  [{ token: 'a' }, [503, 200, 200, 503, 200]],
  [{ token: 'b/c' }, [200, 503, 200, 200, 200]],
  [{ operation: 'update' }, [503, 503, 200, 503, 200]],
  [{ operation: 'echo' }, [200, 200, 503, 200, 200]],
  [{ method: 'PUT' }, [200, 200, 200, 503, 200]],
  [{ method: 'GET', operation: 'echo' }, [200, 200, 503, 200, 200]],
  [{ method: 'GET', token: 'a' }, [200, 200, 200, 200, 200]],
])('the filter %j matches %j', (filter, met) => {
  const { faults, meet } = createScript();
  faults.always(status(503), filter);
  const requests: Partial<RequestFacts>[] = [
    {},
    { token: 'b/c' },
    { token: undefined, operation: 'echo', method: 'GET' },
    { method: 'PUT' },
    { token: undefined, operation: undefined },
  ];
  expect(requests.map(meet)).toEqual(met);
});

test('`next` keeps a fault until a request matches its filter', () => {
  const { faults, meet } = createScript();
  faults.next(status(501), { token: 'b' });
  faults.next(status(502));
  expect([meet(), meet(), meet({ token: 'b' })]).toEqual([502, 200, 501]);
});

test('`none` spares one order from a fault of all', () => {
  const { faults, meet } = createScript();
  faults.always(none, { token: 'a' });
  faults.always(status(503));
  expect([meet(), meet({ token: 'b' })]).toEqual([200, 503]);
});

test('`sometimes` meets its probability, and the same requests for the same seed', () => {
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

test.each<[object, (script: ReturnType<typeof createScript>) => unknown]>([
  [{ fault: status(501), probability: 0.5, seed: 3, token: 'a' }, ({ meet }) => meet({ token: 'b' })],
  [{ fault: [onAccept, status(502)], probability: 0.3, seed: 5 }, ({ onAccept: connect }) => connect()],
])('`sometimes` draws the same with other orders and connections in between: %j', (options, meetOther) => {
  const play = (hasOthers: boolean) => {
    const script = createScript({ when: 'sometimes', ...options } as FaultRule);
    script.reset();
    return Array.from({ length: 50 }, () => {
      if (hasOthers) meetOther(script);
      return script.meet();
    });
  };
  expect(play(true)).toEqual(play(false));
});

test('the numbers of a seed are the same on every machine', () => {
  const values = Array.from({ length: 3 }, createSeededRandom(1));
  expect(values.map((value) => value * 2 ** 32)).toEqual([2_693_262_067, 11_749_833, 2_265_367_787]);
});

test('connections meet reset_on_accept, and requests the other faults of the same list', () => {
  const { faults, meet, ...source } = createScript();
  faults.next([onAccept, status(503)]);
  expect([meet(), meet(), source.onAccept(), source.onAccept()]).toEqual([503, 200, onAccept, undefined]);
  faults.sometimes([onAccept, status(503)], { probability: 1 });
  expect([meet(), source.onAccept(), meet()]).toEqual([503, onAccept, 503]);
  faults.clear();
  faults.always(onAccept);
  expect([meet(), source.onAccept(), source.onAccept()]).toEqual([200, onAccept, onAccept]);
  expect(faults.played.map(({ fault, requestId }) => [fault.type, requestId])).toEqual([
    ['status', 'req_1'],
    ['reset_on_accept', undefined],
    ['status', 'req_3'],
    ['reset_on_accept', undefined],
    ['status', 'req_4'],
    ['reset_on_accept', undefined],
    ['reset_on_accept', undefined],
  ]);
});

test('connection_refused lasts 3 s by `next`, and until clear() by `always`', () => {
  const { faults, downs } = createScript();
  faults.next('down');
  faults.next({ type: 'connection_refused', downMs: 7 });
  faults.always('down');
  faults.clear();
  expect(downs).toEqual([3_000, 7, Number.POSITIVE_INFINITY, 'up']);
  expect(faults.played).toHaveLength(3);
});

test('rules of plain JSON do the same at the start and later, with faults and scenarios', () => {
  const rules: readonly FaultRule[] = [
    { when: 'always', fault: 'slow', token: 'a' },
    { when: 'next', fault: ['rateLimited', none], times: 2 },
    { when: 'sometimes', fault: 'unavailable', probability: 1, seed: 4, operation: 'update' },
  ];
  const atStart = createScript(...rules);
  const later = createScript();
  atStart.reset();
  for (const rule of rules) later.faults.add(JSON.parse(JSON.stringify(rule)));
  const met = atStart.meetMany(6);
  expect(met).toEqual([429, 200, 429, 200, 503, 503]);
  expect(later.meetMany(6)).toEqual(met);
  expect(later.meet({ token: 'a', operation: 'echo' })).toBe(200);
  const [first, ...others] = later.faults.played.map(({ fault }) => fault);
  expect([first, others.at(-1)]).toEqual([scenarios.rateLimited, scenarios.slow]);
});

test('the option `faults` gives rules to the service', async () => {
  const faults: FaultRule[] = [{ when: 'next', fault: status(503), operation: 'update' }];
  await using service = await startMockOrderService({ faults });
  expect((await send(service, { method: 'GET', path: ECHO_PATH })).status).toBe(200);
  expect([(await send(service)).status, (await send(service)).status]).toEqual([503, 200]);
  expect(service.faults.played).toEqual([{ fault: status(503), requestId: 'req_2' }]);
  expect(service.journal.map(({ fault }) => fault)).toEqual([undefined, status(503), undefined]);
});

test.each<[Scenario, boolean, unknown]>([
  ['slow', true, 'UND_ERR_SOCKET'],
  ['rateLimited', false, 429],
  ['unavailable', false, 503],
  ['lostResponse', true, 'ECONNRESET'],
  ['down', false, 'ECONNREFUSED'],
])('the scenario %s applies the update: %j, and leads to %j', async (name, isApplied, outcome) => {
  const port = await freePort();
  await using service = await startMockOrderService({ port, faults: [{ when: 'always', fault: name }] });
  const sent = send(service).then(
    ({ status }) => status,
    ({ code }) => code,
  );
  // The test does not wait the two seconds for the response.
  if (name === 'slow') await service.waitForRequests(1).then(service.close);
  expect(await sent).toBe(outcome);
  expect(service.ledger).toHaveLength(isApplied ? 1 : 0);
});

test('a fault is copied and frozen when it is added', () => {
  const { faults, meet } = createScript();
  const fault = { type: 'status' as const, status: 503, headers: { 'retry-after': '1' } };
  faults.always(fault);
  fault.status = 200;
  fault.headers['retry-after'] = '2';
  expect(meet()).toBe(503);
  const [played] = faults.played;
  expect(played?.fault).toEqual({ type: 'status', status: 503, headers: { 'retry-after': '1' } });
  expect(Object.isFrozen(played?.fault)).toBe(true);
  expect(Object.isFrozen(scenarios.rateLimited.headers)).toBe(false);
});

const next = (fault: unknown) => ({ when: 'next', fault });
const sometimes = (options: object) => ({ when: 'sometimes', fault: none, ...options });
const status503 = (fields: object) => next({ ...status(503), ...fields });

test.each<[unknown, string]>([
  [null, 'A rule is an object whose "when" is "next", "always" or "sometimes".'],
  [{ when: 'never', fault: none }, '"when" is "next", "always" or "sometimes"'],
  [next([]), 'next: give at least one fault.'],
  [next(undefined), 'A fault is a scenario (slow, rateLimited, unavailable, lostResponse, down) or an '],
  [next('slwo'), 'There is no scenario "slwo". Known: slow, rateLimited, '],
  [next('stalled_headers'), '"stalled_headers" is a type of fault: give {"type":"stalled_headers"}.'],
  [next(['slow', 'garbage']), '"garbage" is a type of fault: give {"type":"garbage"}.'],
  [next({ type: 'lostResponse' }), '"lostResponse" is a scenario: give its name alone, without { type }.'],
  [next({ type: 'toString' }), 'whose "type" is one of: status, redirect, '],
  [next({ ...none, applied: true }), 'The fault none: unknown option "applied". Known: type.'],
  [next({ type: 'status' }), 'The fault status: status: Invalid input: expected number, received undefined.'],
  [next({ ...status(503), headers: { Trailer: 'x' } }), 'headers: Trailer: '],
  [next(status(199)), 'The fault status: status: Too small: expected number to be >=200.'],
  [next(status(1000)), 'The fault status: status: Too big: expected number to be <=999.'],
  [status503({ header: {} }), 'The fault status: unknown option "header". Did you mean "headers"?'],
  [status503({ headers: { 'a b': '1' } }), 'headers: a b: Invalid key in record.'],
  [status503({ headers: { a: '1\r\nb: 2' } }), 'headers: a: not a header value.'],
  [next({ type: 'redirect', location: 'a\nb' }), 'The fault redirect: location: not a header value.'],
  [next({ type: 'latency', ms: 2 ** 31 }), 'ms: Too big: expected number to be <=2147483647.'],
  [next({ type: 'reset_after_applying', applied: false }), 'applied: Invalid input: expected true.'],
  [next({ type: 'reset_before_applying', applied: true }), 'applied: Invalid input: expected false.'],
  [{ ...next(none), times: 0 }, 'next: times: Too small: expected number to be >=1.'],
  [{ ...next(none), method: 'patch' }, 'next: method: write "PATCH".'],
  [{ ...next(none), token: '' }, 'next: token: '],
  [{ ...next(none), tokn: 'a' }, 'next: unknown option "tokn". Did you mean "token"?'],
  [{ when: 'always', fault: none, times: 2 }, 'always: unknown option "times". Known: token, '],
  [{ when: 'always', fault: [none, none] }, 'always: give one fault.'],
  [{ when: 'always', fault: onAccept, token: 'a' }, 'reset_on_accept takes no filter'],
  [sometimes({}), 'sometimes: probability: Invalid input: expected number, received undefined.'],
  [sometimes({ prob: 1 }), 'sometimes: unknown option "prob". Did you mean "probability"?'],
  [sometimes({ probability: 2 }), 'sometimes: probability: Too big: expected number to be <=1.'],
  [sometimes({ probability: 1, seed: -1 }), 'sometimes: seed: Too small: expected number to be >=0.'],
  [sometimes({ probability: 1, fault: 'down' }), 'takes no filter, and is given alone and once'],
  [next(['down', none]), 'down (connection_refused) takes no filter'],
  [{ ...next('down'), token: 'a' }, 'down (connection_refused) takes no filter'],
  [{ ...next('down'), times: 2 }, 'down (connection_refused) takes no filter'],
  [{ when: 'always', fault: { type: 'connection_refused', downMs: 5 } }, 'leave out downMs'],
])('rejects the rule %j', (rule, message) => {
  const { faults, downs } = createScript();
  const add = () => faults.add(rule as FaultRule);
  expect(add).toThrow(TypeError);
  expect(add).toThrow(message);
  expect(() => createScript(rule as FaultRule)).toThrow(TypeError);
  expect([faults.waiting, faults.played, downs]).toEqual([[], [], []]);
});

test('a rule can only fail with a TypeError', () => {
  const type = fc.constantFrom('status', 'latency', 'garbage', 'redirect', 'truncation', 'x');
  const fault = fc.record({ type, status: fc.anything(), headers: fc.anything() }, { requiredKeys: [] });
  const rule = fc.record({ when: fc.constantFrom('next', 'always', 'sometimes'), fault, x: fc.anything() });
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

test('types know the fields of each fault', () => {
  expectTypeOf<Fault['type']>().toExtend<string>();
  // @ts-expect-error A status is needed.
  const statusless: Fault = { type: 'status' };
  // @ts-expect-error There is no such fault.
  const misspelled: Fault = { type: 'statsu', status: 503 };
  // @ts-expect-error The field belongs to another fault.
  const misplaced: Fault = { type: 'truncation', intervalMs: 5 };
  // @ts-expect-error Its name says that it is applied.
  const contradicting: Fault = { type: 'reset_after_applying', applied: false };
  // @ts-expect-error A probability is needed.
  const improbable: FaultRule = { when: 'sometimes', fault: none };
  // @ts-expect-error There is no such scenario.
  const unknown: FaultRule = { when: 'next', fault: 'slwo' };
  expect([statusless, misspelled, misplaced, contradicting, improbable, unknown]).toHaveLength(6);
});

test('the README has each scenario with its fault, and each fault with its options and `applied`', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
  const cellsOf = (name: string) =>
    rows.map((row) => row.split('|')).find((row) => row[1]?.includes(`\`${name}\``));
  for (const [name, fault] of Object.entries(scenarios))
    expect(cellsOf(name)?.[2]).toContain(`\`${inspect(fault, { breakLength: Number.POSITIVE_INFINITY })}\``);

  const types = problemOf({}).split('one of: ')[1]?.slice(0, -1).split(', ') ?? [];
  expect(types).toContain('status');
  for (const type of types) {
    const [, ...options] = problemOf({ type, '?': 0 }).split('Known: ')[1]?.slice(0, -1).split(', ') ?? [];
    for (const option of options.filter((one) => one !== 'applied'))
      expect([type, cellsOf(type)?.[3]]).toEqual([type, expect.stringContaining(`\`${option}\``)]);
    const fault = {
      type,
      ...(type === 'status' ? { status: 500 } : type === 'latency' ? { ms: 0 } : {}),
    } as Fault;
    const isFixed = [true, false].some((applied) => problemOf({ ...fault, applied }) !== '');
    const word = appliesUpdate(fault) ? (isFixed ? 'always' : 'yes') : isFixed ? 'never' : 'no';
    expect([type, cellsOf(type)?.[4]?.trim()]).toEqual([type, type === 'status' ? 'if 2xx' : word]);
  }
});

function problemOf(fault: object): string {
  try {
    readFault(fault);
    return '';
  } catch (error) {
    return String(error);
  }
}
