import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { basic, Secret } from '@orders/auth';
import { buildOrderUpdate, type Fault, startOrderService } from '@orders/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  createOrdersClient as createOverUndici,
  isOrdersError,
  type Outcome,
  type StandardSchema,
  type UpdateOrdersOptions,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { runCallbackChaos } from './callback-chaos.ts';
import {
  apiKey,
  type Interceptor,
  intercepting,
  interceptors,
  interrupted,
  junkItems,
  type Misbehaviour,
  misbehaviours,
  type ProcessWatch,
  type Source,
  show,
  sources,
  thrown,
  watchProcess,
} from './hostile-callbacks.ts';
import { inFull } from './in-full.ts';
import { httpAnswer, startRawServer } from './raw-server.ts';

const token = 'order_1234';
const update = buildOrderUpdate();
/** Long enough for a response, short enough to wait for. */
const soon = { timeouts: { total: 400 } };
const once = { retry: { maxAttempts: 1 } };
const tooMany: Fault = { fault: 'status', status: 429, headers: { 'retry-after': '0' } };

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

/** Makes a call to a service of its own. */
async function callOver(create: typeof createOverFetch, { client, call, faults }: Given): Promise<Seen> {
  await using service = await startOrderService({ keys: [apiKey], orders: [token] });
  if (faults) service.faults.next(faults);
  await using orders = create({ baseUrl: service.url, apiKey, ...client });
  const events: string[] = [];
  const result = await orders.safeUpdateOrder(token, update, {
    beforeAttempt: ({ attempt }) => events.push(`before ${attempt}`),
    afterAttempt: ({ attempt, outcome }) => void events.push(`after ${attempt}: ${outcome}`),
    ...call,
  });
  const { outcome, attemptCount, receipt } = result.ok ? result : result.error;
  expect(result.ok || isOrdersError(result.error)).toBe(true);
  expect(receipt.toJSON().attempts).toHaveLength(attemptCount);
  return {
    ends: result.ok ? 'success' : result.error.code,
    outcome,
    attemptCount,
    phase: result.error?.code === 'timeout' ? result.error.phase : undefined,
    events,
    applied: service.ledger.length,
    requests: service.requests({ method: 'PATCH' }).length,
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

const isThrow = (name: string): boolean => /^(throws|rejects)/.test(name);
const isHang = (name: string): boolean => /never settles$/.test(name);
const isJunk = (name: string): boolean => !isThrow(name) && !isHang(name) && name !== 'is slow';
/** It throws when it is waited for, like a rejection. */
const isUnreadable = (name: string): boolean => isJunk(name) && /revoked proxy|cannot be read$/.test(name);

/** Rows of a name and a callback that misbehaves so. */
function rowsOf(callback: keyof typeof misbehaviours, isWanted: (name: string) => boolean) {
  return Object.entries<Misbehaviour>(misbehaviours[callback])
    .filter(([name]) => isWanted(name))
    .map(([name, misbehave]) => [name, () => misbehave(() => undefined)] as const);
}

const schemaOf = (validate: unknown): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: validate as never },
});
const appliedOnce = { outcome: 'applied', attemptCount: 1, applied: 1 } as const;
const notSent = { outcome: 'not_sent', applied: 0, requests: 0 } as const;

test.each(rowsOf('responseSchema', (name) => isThrow(name) || isJunk(name)))(
  'ends with the outcome applied when responseSchema %s',
  async (_, validate) => {
    await expectOverBoth(() => ({ call: { responseSchema: schemaOf(validate) } }), {
      ends: 'invalid_response',
      ...appliedOnce,
      events: ['before 1', 'after 1: applied'],
    });
  },
);

test.each(rowsOf('responseSchema', isHang))(
  'ends with the outcome applied, in time or at its signal, when responseSchema %s',
  async (_, validate) => {
    const inTime = expectOverBoth(() => ({ call: { responseSchema: schemaOf(validate), ...soon } }), {
      ends: 'timeout',
      ...appliedOnce,
      phase: 'body',
      events: ['before 1', 'after 1: applied'],
    });
    const aborting = (): Given => {
      const within = new AbortController();
      const abortAndHang = (): unknown => {
        queueMicrotask(() => within.abort('enough'));
        return validate();
      };
      return { call: { responseSchema: schemaOf(abortAndHang), signal: within.signal } };
    };
    await expectOverBoth(aborting, { ends: 'aborted', ...appliedOnce });
    await inTime;
  },
);

test('a slow responseSchema is waited for', async () => {
  const responseSchema = schemaOf(() => sleep(30, { value: 1 }));
  await expectOverBoth(() => ({ call: { responseSchema } }), { ends: 'success', ...appliedOnce });
});

test('updateOrder rejects with an OrdersError when responseSchema throws a symbol', async () => {
  await using service = await startOrderService({ keys: [apiKey], orders: [token] });
  await using orders = createOverUndici({ baseUrl: service.url, apiKey });
  const responseSchema = schemaOf(() => {
    throw Symbol('callback failed');
  });
  await expect(orders.updateOrder(token, update, { responseSchema })).rejects.toSatisfy(isOrdersError);
});

test.each(rowsOf('classifyResponse', () => true))(
  'a 2xx in JSON is applied and any other response unknown when classifyResponse %s',
  async (_, classifyResponse) => {
    const client = { classifyResponse };
    await expectOverBoth(() => ({ client }), {
      ends: 'invalid_response',
      ...appliedOnce,
      events: ['before 1', 'after 1: applied'],
    });
    for (const fault of [tooMany, { ...tooMany, status: 404 }]) {
      await expectOverBoth(() => ({ client, faults: [fault] }), {
        outcome: 'unknown',
        applied: 0,
        events: ['before 1', 'after 1: unknown'],
      });
    }
    const faults: Fault[] = [{ fault: 'wrong_media_type', applied: true }];
    await expectOverBoth(() => ({ client, faults }), { outcome: 'unknown', attemptCount: 1, applied: 1 });
  },
);

test.each(rowsOf('credentials', isThrow))('nothing is sent when credentials %s', async (_, credentials) => {
  await expectOverBoth(() => ({ call: { credentials, ...once } }), {
    ends: 'connection_error',
    ...notSent,
    events: ['before 1', 'after 1: not_sent'],
  });
});

test('credentials that threw are read again', async () => {
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

test.each(rowsOf('credentials', (name) => isJunk(name) && !isUnreadable(name) && !/itself/.test(name)))(
  'nothing is sent or retried when credentials %s',
  async (_, credentials) => {
    await expectOverBoth(() => ({ call: { credentials } }), {
      ...notSent,
      events: ['before 1', 'after 1: not_sent'],
    });
    const onRetry = (): Given => {
      let reads = 0;
      const firstGood = (): unknown => (++reads === 1 ? basic(apiKey) : credentials());
      return { call: { credentials: firstGood }, faults: [tooMany] };
    };
    await expectOverBoth(onRetry, {
      ...notSent,
      requests: 1,
      events: ['before 1', 'after 1: rejected', 'before 2', 'after 2: not_sent'],
    });
  },
);

test.each(rowsOf('credentials', isUnreadable))(
  'nothing is sent when credentials %s',
  async (_, credentials) => {
    await expectOverBoth(() => ({ call: { credentials, ...once } }), notSent);
  },
);

test.each(rowsOf('credentials', isHang))(
  'nothing is sent, and the call ends in time, when credentials %s',
  async (_, credentials) => {
    await expectOverBoth(() => ({ call: { credentials, ...soon } }), { ends: 'timeout', ...notSent });
  },
);

test('a credential that cannot be decoded does not hide what its request came to', async () => {
  await using server = await startRawServer((socket) => void socket.write(httpAnswer(200, {}, '{}')));
  for (const create of [createOverUndici, createOverFetch]) {
    await using orders = create({ baseUrl: server.url, credentials: new Secret('Basic %%%') });
    const before = server.requests.length;
    const result = await orders.safeUpdateOrder(token, update);
    const { outcome } = result.ok ? result : result.error;
    expect(outcome).toBe(server.requests.length > before ? 'applied' : 'not_sent');
  }
});

test.each(rowsOf('beforeAttempt', isThrow))(
  'the attempt is not made, and has no afterAttempt, when beforeAttempt %s',
  async (_, beforeAttempt) => {
    const expected = { ends: 'aborted', ...notSent, attemptCount: 0, events: [] };
    await expectOverBoth(() => ({ call: { beforeAttempt } }), expected);
  },
);

test.each(rowsOf('beforeAttempt', isHang))(
  'the attempt is not made, and has no afterAttempt, when beforeAttempt %s',
  async (_, beforeAttempt) => {
    const expected = { ends: 'timeout', phase: 'queue', ...notSent, attemptCount: 0, events: [] };
    await expectOverBoth(() => ({ call: { beforeAttempt, ...soon } }), expected);
  },
);

test.each(rowsOf('beforeAttempt', (name) => !isThrow(name) && !isHang(name) && !isUnreadable(name)))(
  'the attempt is made when beforeAttempt %s',
  async (_, beforeAttempt) => {
    const expected = { ends: 'success', ...appliedOnce, events: ['after 1: applied'] };
    await expectOverBoth(() => ({ call: { beforeAttempt } }), expected);
  },
);

test.each([
  ['beforeAttempt and afterAttempt come in pairs', {}, [0, 1, 2, 3]],
  ['beforeAttempt alone is called before each attempt', { afterAttempt: undefined }, [0, 2]],
  ['afterAttempt alone is called after each attempt', { beforeAttempt: undefined }, [1, 3]],
])('%s', async (_, call, places) => {
  const all = ['before 1', 'after 1: rejected', 'before 2', 'after 2: applied'];
  const events = places.map((place) => `${all[place]}`);
  await expectOverBoth(() => ({ faults: [tooMany], call }), { ends: 'success', events });
});

test.each(rowsOf('afterAttempt', () => true))(
  'nothing changes for the call when afterAttempt %s',
  async (name, afterAttempt) => {
    await expectOverBoth(() => ({ call: { afterAttempt } }), { ends: 'success', ...appliedOnce });
    await expectOverBoth(() => ({ call: { afterAttempt }, faults: [{ fault: 'reset_after_applying' }] }), {
      ends: 'connection_error',
      outcome: 'unknown',
      attemptCount: 1,
      applied: 1,
    });
    await turn();
    if (isThrow(name)) expect(watch.warnings).toHaveLength(4);
    else if (!isUnreadable(name)) expect(watch.warnings).toEqual([]);
  },
);

test('what a callback throws shows no key, and a warning says what afterAttempt threw', async () => {
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
  expect(watch.warnings).toHaveLength(2);
  for (const text of [...all.flat().map(({ shown }) => shown), ...watch.warnings]) {
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain(basic(apiKey).reveal().slice(6));
  }
  for (const text of watch.warnings) expect(text).toContain('the disk is full');
});

const connectionFailed = { ends: 'connection_error', ...notSent, attemptCount: 1 } as const;

test.each<[string, RegExp, Partial<Seen>]>([
  ['throws before it dispatches', /^throws (?!.*(dispatched|onRe))/, connectionFailed],
  ['reports junk as its error', /as its error$/, connectionFailed],
  ['throws in place of onRequestStart', /^throws in place of onRequestStart$/, connectionFailed],
  ['never calls back', /^never calls back$/, { ends: 'timeout', ...notSent }],
  ['never reports the response', /^never reports/, { ends: 'timeout', outcome: 'unknown', applied: 1 }],
  ['throws after the response', /^throws after onResponseEnd$/, { ends: 'success', ...appliedOnce }],
  ['returns junk', /^returns (?!.*(revoked|cannot be read))/, { ends: 'success', ...appliedOnce }],
  ['dispatches late', /^dispatches late$/, { ends: 'success', ...appliedOnce }],
  ['reports a status that is junk', /^reports a status/, { outcome: 'unknown', attemptCount: 1, applied: 1 }],
  ['reports data that is junk', /^reports data/, appliedOnce],
  ['reports everything twice', /^reports everything/, { ends: 'invalid_response', ...appliedOnce }],
  ['reports another response after the end', /^reports another/, { ends: 'success', ...appliedOnce }],
])('ends with what the ledger holds when a dispatcher %s', async (_, wanted, expected) => {
  const matching = Object.entries(interceptors).filter(([name]) => wanted.test(name));
  expect(matching.length).toBeGreaterThan(0);
  const agent = new Agent();
  const calls = matching.map(async ([name, interceptor]) => {
    const client = { dispatcher: agent.compose(intercepting(interceptor)) };
    const seen = await callOver(createOverUndici, { client, call: { ...soon, ...once } });
    expect(seen, name).toMatchObject(expected);
  });
  await Promise.all(calls);
  await agent.destroy();
});

test('a dispatcher that throws leaves no timer', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await using service = await startOrderService({ keys: [apiKey], orders: [token] });
  const agent = new Agent();
  const dispatcher = agent.compose(intercepting(interceptors['throws an error'] as Interceptor));
  await using orders = createOverUndici({ baseUrl: service.url, apiKey, dispatcher });
  const before = timers();
  await Promise.all(
    Array.from({ length: 50 }, (_, order) => orders.safeUpdateOrder(`${order}`, update, once)),
  );
  // The runner may have started a few of its own.
  expect(timers() - before).toBeLessThan(10);
  await agent.destroy();
});

interface BulkGiven extends UpdateOrdersOptions {
  readonly client?: object;
  /** After so many results the signal fires. */
  readonly abortAfter?: number;
}

/** A bulk of five items, and what it came to. */
async function runBulk(
  create: typeof createOverFetch,
  source: Source | undefined,
  { client, abortAfter, ...options }: BulkGiven = {},
) {
  await using service = await startOrderService({ keys: [apiKey], orders: 5 });
  await using orders = create({ baseUrl: service.url, apiKey, ...client });
  const items = service.orders.map((order, index) => ({
    token: order.token,
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
  return { results, ends, rejection, applied: service.ledger.length };
}

const entries = [createOverUndici, createOverFetch] as const;

test.each(Object.entries(junkItems))('a bulk goes on when its source yields %s', async (_, make) => {
  const item = make();
  const source: Source = (items) => interrupted(items, () => item);
  for (const create of entries) {
    const { results, ends, rejection, applied } = await runBulk(create, source);
    expect(ends).toEqual(['success', 'success', 'success', 'validation_error', 'success', 'success']);
    expect(results[3]?.outcome).toBe('not_sent');
    expect(Object.is(results[3]?.item, item)).toBe(true);
    expect(rejection).toBeUndefined();
    expect(applied).toBe(5);
  }
});

test.each(Object.entries(thrown))(
  'a bulk rejects with what its source throws, after the results of what was read: %s',
  async (_, make) => {
    const reason = make();
    const throwReason = (): never => {
      throw reason;
    };
    const source: Source = async function* (items) {
      yield* interrupted(items, throwReason);
    };
    for (const create of entries) {
      const { ends, rejection, applied } = await runBulk(create, source);
      expect(ends).toEqual(['success', 'success', 'success']);
      expect(rejection && Object.is(rejection.reason, reason)).toBe(true);
      expect(applied).toBe(3);
    }
  },
);

test('a bulk over a source that never settles ends at its signal, after the results of what was read', async () => {
  for (const create of entries) {
    const source = sources['never settles'] as Source;
    const { ends, rejection, applied } = await runBulk(create, source, { abortAfter: 3 });
    expect(ends).toEqual(['success', 'success', 'success']);
    expect(rejection).toBeUndefined();
    expect(applied).toBe(3);
  }
});

test.each<[string, string, (at: (work?: unknown) => never) => BulkGiven]>([
  [
    'responseSchema',
    'invalid_response',
    (at) => ({ responseSchema: schemaOf((value: unknown) => at({ value })) }),
  ],
  ['classify', 'invalid_response', (at) => ({ client: { classifyResponse: () => at() } })],
  ['credentials', 'connection_error', (at) => ({ credentials: () => at(basic(apiKey)), ...once })],
  ['beforeAttempt', 'aborted', (at) => ({ beforeAttempt: () => at() })],
  ['afterAttempt', 'success', (at) => ({ afterAttempt: () => at() })],
])('a bulk goes on when %s throws for an item, whose result is %s', async (_, expected, optionsOf) => {
  for (const create of entries) {
    let calls = 0;
    const throwAtSecond = (work?: unknown): never => {
      if (++calls === 2) throw Symbol('callback failed');
      return work as never;
    };
    const { ends, rejection } = await runBulk(create, undefined, optionsOf(throwAtSecond));
    expect(ends).toEqual(['success', expected, 'success', 'success', 'success']);
    expect(rejection).toBeUndefined();
  }
});

const calls = inFull ? 10_000 : 1_200;

test(`${calls} calls with misbehaving callbacks and faults end in time with what the ledger holds`, {
  timeout: 300_000,
}, async ({ annotate }) => {
  const seed = Number(process.env['CALLBACKS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const { problems, table, missing } = await runCallbackChaos(calls, seed);
  const rows = Object.entries(table).map(([name, outcomes]) => `${name}: ${JSON.stringify(outcomes)}`);
  // Shown when the test fails.
  await annotate(rows.join('\n'), 'outcomes by misbehaviour');
  expect(problems, `CALLBACKS_SEED=${seed}`).toEqual([]);
  expect(missing).toEqual([]);
});
