import { setImmediate as turn } from 'node:timers/promises';
import { basic, Secret } from '@orders/auth';
import { buildOrderUpdate, type Fault, type MockOrderService, startMockOrderService } from '@orders/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  createOrdersClient as createOverUndici,
  OrdersError,
  type Outcome,
  type StandardSchema,
  type UpdateOrdersOptions,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { runCallbackChaos } from './callback-chaos.ts';
import { holdTime } from './hold-time.ts';
import {
  apiKey,
  type DispatcherKind,
  intercepting,
  interceptors,
  interrupting,
  interruptingAsync,
  junkItems,
  type Kind,
  type Misbehaviour,
  misbehaviours,
  neverSettlingSource,
  type ProcessWatch,
  type Source,
  show,
  throwing,
  thrown,
  watchProcess,
} from './hostile-callbacks.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const token = 'order_1234';
const update = buildOrderUpdate();
const timeouts = { total: 15_000 };
const once = { retry: { maxAttempts: 1 } };
const tooMany: Fault = { type: 'status', status: 429, headers: { 'retry-after': '0' } };

/** Each call has an order of its own. */
let service: MockOrderService;
beforeAll(async () => {
  service = await startMockOrderService({ keys: [apiKey], orders: [token] });
});
afterAll(() => service.close());

let watch: ProcessWatch;
beforeEach(() => {
  watch = watchProcess();
});
afterEach(async () => {
  await turn();
  watch[Symbol.dispose]();
  expect(watch.uncaught).toEqual([]);
});

/** What can be seen of one call. */
interface Seen {
  /** The error's code, or `success`. */
  readonly ends: string;
  readonly outcome: Outcome;
  readonly attemptCount: number;
  readonly phase: string | undefined;
  readonly events: readonly string[];
  /** How often the ledger holds the update. */
  readonly applied: number;
  readonly requests: number;
  readonly shown: string;
}

interface Given {
  readonly client?: object;
  readonly call?: object;
  readonly faults?: readonly Fault[];
}

/** Makes a call for an order of its own. */
async function callOver(create: typeof createOverFetch, { client, call, faults }: Given): Promise<Seen> {
  const token = service.addOrder();
  if (faults) service.faults.next(faults, { token });
  await using orders = create({ baseUrl: service.url, apiKey, ...client });
  const events: string[] = [];
  const result = await orders.safeUpdateOrder(token, update, {
    beforeAttempt: ({ attempt }) => events.push(`before ${attempt}`),
    afterAttempt: ({ attempt, outcome }) => void events.push(`after ${attempt}: ${outcome}`),
    ...call,
  });
  const { outcome, attemptCount, receipt } = result.ok ? result : result.error;
  expect(result.ok || result.error instanceof OrdersError).toBe(true);
  expect(receipt.toJSON().attempts).toHaveLength(attemptCount);
  return {
    ends: result.ok ? 'success' : result.error.code,
    outcome,
    attemptCount,
    phase: result.error?.code === 'timeout' ? result.error.phase : undefined,
    events,
    applied: service.appliedUpdates(token).length,
    requests: service.requests({ token }).length,
    shown: show(result),
  };
}

/** The same call over undici and over fetch; what it is given is made anew for each. */
function callOverBoth(given: () => Given): Promise<Seen[]> {
  return Promise.all([createOverUndici, createOverFetch].map((create) => callOver(create, given())));
}

async function expectOverBoth(given: () => Given, expected: Partial<Seen>): Promise<void> {
  for (const seen of await callOverBoth(given)) expect(seen).toMatchObject(expected);
}

const failing: readonly Kind[] = ['throws', 'rejects'];
const allKinds: readonly Kind[] = [...failing, 'hangs', 'junk', 'unreadable', 'slow', 'usable'];

const transports = [createOverUndici, createOverFetch] as const;
const transportsFor = (index: number) => (inFull ? transports : [transports[index % 2 === 0 ? 0 : 1]]);

/** Makes a call for each wanted misbehaviour of a callback, all at once: over undici and over fetch in turn, in full over both. */
async function expectEach(
  callback: keyof typeof misbehaviours,
  kinds: readonly Kind[],
  given: (misbehave: () => unknown) => Given,
  expected: Partial<Seen>,
): Promise<void> {
  const wanted = Object.entries<Misbehaviour>(misbehaviours[callback]).filter(([, { kind }]) =>
    kinds.includes(kind),
  );
  expect(wanted.length).toBeGreaterThan(0);
  const calls = wanted.flatMap(([name, { run }], index) =>
    transportsFor(index).map(async (create) => {
      const seen = await callOver(
        create,
        given(() => run(() => undefined)),
      );
      expect(seen, `${callback} ${name}`).toMatchObject(expected);
    }),
  );
  await Promise.all(calls);
}

const schemaOf = (validate: unknown): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: validate as never },
});
const appliedOnce = { outcome: 'applied', attemptCount: 1, applied: 1 } as const;
const notSent = { outcome: 'not_sent', applied: 0, requests: 0 } as const;

const oneAttempt = ['before 1', 'after 1: applied'];

test('the outcome is applied when responseSchema throws or returns junk', async () => {
  await expectEach(
    'responseSchema',
    [...failing, 'junk', 'unreadable'],
    (validate) => ({ call: { responseSchema: schemaOf(validate) } }),
    { ends: 'invalid_response', ...appliedOnce, events: oneAttempt },
  );
});

test('a call ends in time with its outcome when responseSchema, credentials or beforeAttempt hang', async () => {
  const applied = { ...appliedOnce, phase: 'body', events: oneAttempt } as const;
  const notMade = { ...notSent, phase: 'queue', attemptCount: 0, events: [] } as const;
  let called = 0;
  const counting = (hang: () => unknown) => () => {
    called += 1;
    return hang();
  };
  using time = holdTime();
  const calls = [
    expectEach(
      'responseSchema',
      ['hangs'],
      (validate) => ({ call: { responseSchema: schemaOf(counting(validate)), timeouts } }),
      { ends: 'timeout', ...applied },
    ),
    expectEach('credentials', ['hangs'], (hang) => ({ call: { credentials: counting(hang), timeouts } }), {
      ends: 'timeout',
      ...notSent,
    }),
    expectEach(
      'beforeAttempt',
      ['hangs'],
      (hang) => ({ call: { beforeAttempt: counting(hang), timeouts } }),
      {
        ends: 'timeout',
        ...notMade,
      },
    ),
  ];
  const hanging = calls.length * 2 * transportsFor(0).length;
  while (called < hanging) await turn();
  time.pass(timeouts.total);
  await Promise.all(calls);
});

test('a 2xx in JSON is applied and any other response unknown when classifyResponse throws or returns junk', async () => {
  const expectAll = (
    faults: Fault[],
    expected: Partial<Seen>,
    kinds: readonly Kind[] = inFull ? allKinds : ['throws'],
  ) =>
    expectEach('classifyResponse', kinds, (classifyResponse) => ({ client: { classifyResponse }, faults }), {
      attemptCount: 1,
      ...expected,
    });
  await expectAll(
    [{ type: 'none' }],
    { ends: 'invalid_response', ...appliedOnce, events: oneAttempt },
    allKinds,
  );
  for (const fault of [tooMany, { ...tooMany, status: 404 }])
    await expectAll(
      [fault],
      { outcome: 'unknown', applied: 0, events: ['before 1', 'after 1: unknown'] },
      fault === tooMany ? allKinds : undefined,
    );
  await expectAll([{ type: 'wrong_media_type', applied: true }], { outcome: 'unknown', applied: 1 });
});

test('nothing is sent when credentials throw or cannot be read', async () => {
  await expectEach('credentials', failing, (credentials) => ({ call: { credentials, ...once } }), {
    ends: 'connection_error',
    ...notSent,
    events: ['before 1', 'after 1: not_sent'],
  });
  await expectEach(
    'credentials',
    ['unreadable'],
    (credentials) => ({ call: { credentials, ...once } }),
    notSent,
  );
});

test('credentials that threw are read again', async () => {
  using _noBackoff = vi.spyOn(Math, 'random').mockReturnValue(0);
  const failingOnce = (): Given => {
    let reads = 0;
    const credentials = (): unknown => (++reads === 1 ? Promise.reject(Symbol('busy')) : basic(apiKey));
    return { call: { credentials } };
  };
  await expectOverBoth(failingOnce, {
    ends: 'success',
    applied: 1,
    events: ['before 1', 'after 1: not_sent', 'before 2', 'after 2: applied'],
  });
});

test('nothing is sent or retried when credentials are junk', async () => {
  await expectEach('credentials', ['junk'], (credentials) => ({ call: { credentials } }), {
    ...notSent,
    events: ['before 1', 'after 1: not_sent'],
  });
  const onRetry = (credentials: () => unknown): Given => {
    let reads = 0;
    const firstGood = (): unknown => (++reads === 1 ? basic(apiKey) : credentials());
    return { call: { credentials: firstGood }, faults: [tooMany] };
  };
  await expectEach('credentials', ['junk'], onRetry, {
    ...notSent,
    requests: 1,
    events: ['before 1', 'after 1: rejected', 'before 2', 'after 2: not_sent'],
  });
});

test('a credential that cannot be decoded does not hide the outcome of its request', async () => {
  await using server = await startRawServer((socket) => void socket.write(httpAnswer(200, {}, '{}')));
  for (const create of [createOverUndici, createOverFetch]) {
    await using orders = create({ baseUrl: server.url, credentials: new Secret('Basic %%%') });
    const before = server.requests.length;
    const result = await orders.safeUpdateOrder(token, update);
    const { outcome } = result.ok ? result : result.error;
    expect(outcome).toBe(server.requests.length > before ? 'applied' : 'not_sent');
  }
});

test('the attempt is not made, and has no afterAttempt, when beforeAttempt throws', async () => {
  await expectEach('beforeAttempt', failing, (beforeAttempt) => ({ call: { beforeAttempt } }), {
    ends: 'aborted',
    ...notSent,
    attemptCount: 0,
    events: [],
  });
});

test('the attempt is made when beforeAttempt is slow or returns junk', async () => {
  await expectEach('beforeAttempt', ['junk', 'slow'], (beforeAttempt) => ({ call: { beforeAttempt } }), {
    ends: 'success',
    ...appliedOnce,
    events: ['after 1: applied'],
  });
});

test('nothing is sent when beforeSend throws or is asynchronous, and junk that it returns changes nothing', async () => {
  for (const [kind, reason] of [
    ['throws', 'beforeSend threw'],
    ['rejects', 'it must be synchronous'],
  ] as const)
    await expectEach('beforeSend', [kind], (beforeSend) => ({ call: { beforeSend } }), {
      ends: 'aborted',
      ...notSent,
      events: ['before 1', 'after 1: not_sent'],
      shown: expect.stringContaining(reason),
    });
  await expectEach('beforeSend', ['junk'], (beforeSend) => ({ call: { beforeSend } }), {
    ends: 'success',
    ...appliedOnce,
    events: oneAttempt,
  });
});

test('an afterAttempt that throws, hangs or returns junk changes nothing for the call', async () => {
  const expectAll = (kinds: readonly Kind[]) =>
    expectEach('afterAttempt', kinds, (afterAttempt) => ({ call: { afterAttempt } }), {
      ends: 'success',
      ...appliedOnce,
    });
  await expectAll(['hangs', 'junk', 'slow']);
  await turn();
  expect(watch.warnings).toEqual([]);
  await expectAll(['unreadable']);
  await turn();
  const before = watch.warnings.length;
  await expectAll(failing);
  await turn();
  const throwing = Object.values(misbehaviours.afterAttempt).filter(({ kind }) => failing.includes(kind));
  const count = throwing.flatMap((_, index) => transportsFor(index)).length;
  expect(watch.warnings.length - before).toBe(count);
  const faults: Fault[] = [{ type: 'reset_after_applying' }];
  await expectEach('afterAttempt', allKinds, (afterAttempt) => ({ call: { afterAttempt }, faults }), {
    ends: 'connection_error',
    outcome: 'unknown',
    attemptCount: 1,
    applied: 1,
  });
});

test('what a callback throws shows no key, and a warning has the message that afterAttempt threw', async () => {
  const throwKey = (): never => {
    throw new Error(`the disk is full, ${apiKey}, ${basic(apiKey).reveal()}`);
  };
  const given: Given[] = [
    { call: { responseSchema: schemaOf(throwKey) } },
    { client: { classifyResponse: throwKey } },
    { call: { afterAttempt: throwKey } },
    { call: { beforeAttempt: throwKey } },
  ];
  const all = await Promise.all(given.map((each) => callOverBoth(() => each)));
  await turn();
  for (const { shown } of all.flat()) {
    expect(shown).not.toContain(apiKey);
    expect(shown).not.toContain(basic(apiKey).reveal().slice(6));
  }
  const warning =
    'afterAttempt threw, which changes nothing for the call: the disk is full, [secret], [secret]';
  expect(watch.warnings).toEqual([expect.stringContaining(warning), expect.stringContaining(warning)]);
});

const connectionFailed = { ends: 'connection_error', ...notSent, attemptCount: 1 } as const;

const ofDispatchers: Readonly<Record<Exclude<DispatcherKind, 'other'>, Partial<Seen>>> = {
  fails: connectionFailed,
  silent: { ends: 'timeout', ...notSent },
  no_response: { ends: 'timeout', outcome: 'unknown', applied: 1 },
  harmless: { ends: 'success', ...appliedOnce },
  junk_status: { outcome: 'unknown', attemptCount: 1, applied: 1 },
  junk_data: appliedOnce,
  twice: { ends: 'invalid_response', ...appliedOnce },
};

test('the outcome is true whatever a dispatcher throws, returns or reports', async () => {
  const agent = new Agent();
  const call = async ([name, { kind, run }]: (typeof entries)[number]): Promise<void> => {
    if (kind === 'other') return;
    const client = { dispatcher: agent.compose(intercepting(run)) };
    const seen = await callOver(createOverUndici, { client, call: once });
    expect(seen, name).toMatchObject(ofDispatchers[kind]);
  };
  const entries = Object.entries(interceptors);
  const [answered, waiting] = [false, true].map((waits) =>
    entries.filter(([, { kind }]) => ['silent', 'no_response'].includes(kind) === waits),
  );
  await Promise.all((answered ?? []).map(call));
  const before = service.ledger.length;
  using time = holdTime();
  const timingOut = (waiting ?? []).map(call);
  while (service.ledger.length === before) await turn();
  time.pass(15_000);
  await Promise.all(timingOut);
  await agent.destroy();
});

test('a dispatcher that is ready too late, and whose abort throws, is not thrown at', async () => {
  const agent = new Agent();
  let start = (): void => {};
  const dispatcher = agent.compose(
    intercepting((_send, handler) => {
      start = () => handler.onRequestStart?.({ abort: throwing(() => new Error('abort')) } as never, {});
    }),
  );
  const call = { timeouts: { total: 50 }, ...once };
  const seen = await callOver(createOverUndici, { client: { dispatcher }, call });
  expect(seen).toMatchObject({ ends: 'timeout', ...notSent });
  expect(start).not.toThrow();
  await agent.destroy();
});

test('a dispatcher that throws leaves no timer', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const agent = new Agent();
  const dispatcher = agent.compose(intercepting(throwing(() => new Error('dispatcher failed'))));
  await using orders = createOverUndici({ baseUrl: service.url, apiKey, dispatcher });
  const before = timers();
  await Promise.all(
    Array.from({ length: 50 }, (_, order) => orders.safeUpdateOrder(`${order}`, update, once)),
  );
  // The runner may have started a few of its own.
  expect(timers() - before).toBeLessThan(10);
  await agent.destroy();
});

interface RunGiven extends UpdateOrdersOptions {
  readonly client?: object;
  /** After so many results the signal fires. */
  readonly abortAfter?: number;
}

/** Updates five orders, one at a time. */
async function runMany(
  create: typeof createOverFetch,
  source: Source | undefined,
  { client, abortAfter, ...options }: RunGiven = {},
) {
  await using orders = create({ baseUrl: service.url, apiKey, ...client });
  const items = Array.from({ length: 5 }, (_, index) => ({
    token: service.addOrder(),
    update: buildOrderUpdate({ order_id: `${index}` }),
  }));
  const given = (source ? source(items) : items) as typeof items;
  const results: { index: number; item: unknown; ends: string; outcome: Outcome }[] = [];
  let rejection: { readonly reason: unknown } | undefined;
  const within = new AbortController();
  try {
    const { signal } = within;
    for await (const result of orders.updateOrders(given, { concurrency: 1, signal, ...options })) {
      const { index, item } = result;
      const { outcome } = result.ok ? result : result.error;
      results.push({ index, item, ends: result.error?.code ?? 'success', outcome });
      if (results.length === abortAfter) within.abort('enough');
    }
  } catch (reason) {
    rejection = { reason };
  }
  const ends = results.sort((a, b) => a.index - b.index).map((result) => result.ends);
  const applied = items.flatMap((item) => service.appliedUpdates(item.token)).length;
  return { results, ends, rejection, applied };
}

const entries = [createOverUndici, createOverFetch] as const;

test('a run goes on after an item that is junk', async () => {
  const runs = Object.entries(junkItems).flatMap(([name, make]) =>
    entries.map(async (create) => {
      const item = make();
      const source = interrupting(() => item);
      const { results, ends, rejection, applied } = await runMany(create, source);
      expect(ends, name).toEqual(['success', 'success', 'success', 'validation_error', 'success', 'success']);
      expect(results[3]?.outcome).toBe('not_sent');
      expect(Object.is(results[3]?.item, item)).toBe(true);
      expect(rejection).toBeUndefined();
      expect(applied).toBe(5);
    }),
  );
  await Promise.all(runs);
});

test('a run rejects with what its source throws, after the results of what was read', async () => {
  const runs = Object.entries(thrown).flatMap(([name, make]) =>
    entries.map(async (create) => {
      const reason = make();
      const source = interruptingAsync(throwing(() => reason));
      const { ends, rejection, applied } = await runMany(create, source);
      expect(ends, name).toEqual(['success', 'success', 'success']);
      expect(rejection && Object.is(rejection.reason, reason), name).toBe(true);
      expect(applied).toBe(3);
    }),
  );
  await Promise.all(runs);
});

test('a run over a source that hangs ends at its signal, after the results of what was read', async () => {
  for (const create of entries) {
    const { ends, rejection, applied } = await runMany(create, neverSettlingSource, { abortAfter: 3 });
    expect(ends).toEqual(['success', 'success', 'success']);
    expect(rejection).toBeUndefined();
    expect(applied).toBe(3);
  }
});

test.each<[string, string, (at: (work?: unknown) => never) => RunGiven]>([
  [
    'responseSchema',
    'invalid_response',
    (at) => ({ responseSchema: schemaOf((value: unknown) => at({ value })) }),
  ],
  ['classifyResponse', 'invalid_response', (at) => ({ client: { classifyResponse: () => at() } })],
  ['credentials', 'connection_error', (at) => ({ credentials: () => at(basic(apiKey)), ...once })],
  ['beforeAttempt', 'aborted', (at) => ({ beforeAttempt: () => at() })],
  ['afterAttempt', 'success', (at) => ({ afterAttempt: () => at() })],
])('a run goes on when %s throws for an item, whose result is %s', async (_, expected, optionsOf) => {
  for (const create of entries) {
    let calls = 0;
    const throwAtSecond = (work?: unknown): never => {
      if (++calls === 2) throw Symbol('callback failed');
      return work as never;
    };
    const { ends, rejection } = await runMany(create, undefined, optionsOf(throwAtSecond));
    expect(ends).toEqual(['success', expected, 'success', 'success', 'success']);
    expect(rejection).toBeUndefined();
  }
});

const calls = inFull ? 10_000 : 600;

test(`${calls} calls with misbehaving callbacks and faults end in time with a true outcome`, {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env['CALLBACKS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const { problems, missing } = await runCallbackChaos(calls, seed);
  expect(problems, `CALLBACKS_SEED=${seed}`).toEqual([]);
  // Few calls plan few of them, and some end before one can occur.
  if (inFull) expect(missing).toEqual([]);
});
