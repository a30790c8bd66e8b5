import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '@orders/auth';
import { buildOrderUpdate, type Fault, startOrderService } from '@orders/testing';
import fc from 'fast-check';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type CallOptions,
  createOrdersClient as createOverUndici,
  isOrdersError,
  type OrdersClient,
  type UpdateOrderResult,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import {
  apiKey,
  intercepting,
  interceptors,
  type Misbehaviour,
  misbehaviours,
  show,
  sources,
  watchProcess,
} from './hostile-callbacks.ts';

/** So much after its deadline a call is late. */
const marginMs = 100;
/** A call that has not settled after so much more never does. */
const neverMs = 5_000;
const atATime = 48;

type Callback = keyof typeof misbehaviours;

/** What goes wrong in one call; a callback that is not named does its work. */
type Plan = { readonly [Name in Callback | 'dispatcher']?: string | undefined } & {
  readonly entry: 'undici' | 'fetch';
  readonly isSafe: boolean;
  /** Which time a callback misbehaves when it is called; 0 is each time. */
  readonly at: number;
  /** Which of beforeAttempt and afterAttempt are given. */
  readonly hooks: 'both' | 'before' | 'after';
  readonly timeouts: { readonly total: number; readonly attempt: number };
  readonly abortAfterMs?: number | undefined;
  /** Whether an unknown outcome is tried again, so that an update may be applied twice. */
  readonly isResent: boolean;
  readonly faults: readonly Fault[];
};

/** Calls over one client: those of a bulk, or single ones at the same time. */
interface GroupPlan {
  readonly isBulk: boolean;
  readonly source?: string | undefined;
  /** What the client has, and for a bulk also the options of its calls, but for beforeAttempt and afterAttempt. */
  readonly shared: Plan;
  readonly items: readonly Plan[];
}

const plain: Plan = {
  entry: 'undici',
  isSafe: true,
  at: 0,
  hooks: 'both',
  isResent: false,
  timeouts: { total: 3_000, attempt: 2_500 },
  faults: [],
};

const status = (code: number, headers: Record<string, string> = {}, applied = false): Fault => ({
  fault: 'status',
  status: code,
  headers,
  applied,
});

const faults: readonly Fault[] = [
  ...Array.from({ length: 30 }, () => ({ fault: 'none' }) as const),
  ...[400, 404, 408, 409, 429, 500, 503].map((code) => status(code)),
  status(429, { 'retry-after': '0' }),
  status(429, { 'retry-after': '1' }),
  status(500, {}, true),
  status(503, { 'retry-after': '0' }),
  status(503, { 'retry-after': '0' }, true),
  { fault: 'redirect' },
  { fault: 'empty' },
  { fault: 'no_content' },
  { fault: 'invalid_json' },
  { fault: 'wrong_media_type' },
  { fault: 'wrong_media_type', applied: true },
  { fault: 'latency', ms: 50 },
  { fault: 'latency', ms: 400 },
  { fault: 'stalled_headers' },
  { fault: 'stalled_body' },
  { fault: 'slow_drip', intervalMs: 2 },
  { fault: 'truncation' },
  { fault: 'oversize', bytes: 2_000_000, chunked: true },
  { fault: 'gzip_bomb', bytes: 2_000_000 },
  { fault: 'close_after_answer' },
  { fault: 'garbage' },
  { fault: 'garbage', applied: true },
  { fault: 'reset_on_accept' },
  { fault: 'reset_before_body' },
  { fault: 'reset_on_reuse' },
  { fault: 'reset_before_applying' },
  { fault: 'reset_after_applying' },
  { fault: 'restart', downMs: 20 },
  { fault: 'restart', downMs: 20, applied: true },
];

function sometimes(percent: number, table: object): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: fc.constantFrom(...Object.keys(table)) },
  );
}

const randomPlan: fc.Arbitrary<Plan> = fc.record({
  entry: fc.constantFrom('undici', 'fetch'),
  isSafe: fc.boolean(),
  at: fc.constantFrom(0, 0, 1, 2),
  hooks: fc.constantFrom('both', 'both', 'before', 'after'),
  timeouts: fc.record({
    total: fc.integer({ min: 300, max: 800 }),
    attempt: fc.integer({ min: 100, max: 300 }),
  }),
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined, freq: 10 }),
  isResent: fc.integer({ min: 1, max: 10 }).map((n) => n === 1),
  faults: fc.array(fc.constantFrom(...faults), { maxLength: 2, size: 'max' }),
  responseSchema: sometimes(30, misbehaviours.responseSchema),
  classifyResponse: sometimes(8, misbehaviours.classifyResponse),
  credentials: sometimes(8, misbehaviours.credentials),
  beforeAttempt: sometimes(8, misbehaviours.beforeAttempt),
  afterAttempt: sometimes(25, misbehaviours.afterAttempt),
  dispatcher: sometimes(15, interceptors),
  fetch: sometimes(8, misbehaviours.fetch),
});

const randomGroup: fc.Arbitrary<GroupPlan> = fc.record({
  isBulk: fc.boolean(),
  source: sometimes(50, sources),
  shared: randomPlan,
  items: fc.array(randomPlan, { minLength: 20, maxLength: 20 }),
});

const tables = { ...misbehaviours, dispatcher: interceptors, source: sources };

/** Every misbehaviour by itself, without faults, then as many at random as make up the calls. */
function plansOf(calls: number, seed: number): (Plan | GroupPlan)[] {
  const alone = Object.entries(tables).flatMap(([callback, table]) =>
    Object.keys(table).map((name, index): Plan | GroupPlan => {
      if (callback === 'source')
        return { isBulk: true, source: name, shared: plain, items: Array(5).fill(plain) };
      const isOverFetch = callback === 'fetch' || (callback !== 'dispatcher' && index % 2 === 0);
      return { ...plain, entry: isOverFetch ? 'fetch' : 'undici', [callback]: name };
    }),
  );
  const random = fc.oneof({ weight: 40, arbitrary: randomPlan }, { weight: 1, arbitrary: randomGroup });
  const plans = [...alone, ...fc.sample<Plan | GroupPlan>(random, { numRuns: calls, seed })];
  let planned = 0;
  return plans.filter((plan) => {
    if (planned >= calls) return false;
    planned += 'items' in plan ? plan.items.length : 1;
    return true;
  });
}

/** What one call did, or what the calls of one group shared. */
interface CallLog {
  readonly plan: Plan;
  readonly name: string;
  readonly token: string;
  /** What each callback did, each time it was called. */
  readonly did: Partial<Record<Callback, string[]>>;
  /** What misbehaved, as the table of the report names it. */
  readonly misbehaved: Set<string>;
  /** `b1` is beforeAttempt of attempt 1, `a1` its afterAttempt. */
  readonly events: string[];
  signal: AbortSignal | undefined;
  isInBulk: boolean;
  result?: UpdateOrderResult;
  tookMs?: number;
}

interface ChaosReport {
  /** Every promise that was broken, with the plan of the call. */
  readonly problems: readonly string[];
  /** How many calls had which outcome, by what misbehaved. */
  readonly table: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Every misbehaviour that never occurred. */
  readonly missing: readonly string[];
}

/** Makes calls with misbehaving callbacks to a service with faults, many at a time, and checks what is promised of each. */
export async function runCallbackChaos(calls: number, seed: number): Promise<ChaosReport> {
  await using service = await startOrderService({ keys: [apiKey], orders: ['order'] });
  using clock = new StallFreeClock();
  using watch = watchProcess();
  const agent = new Agent();
  const logs: CallLog[] = [];
  const problems: string[] = [];

  async function runSingle(plan: Plan): Promise<void> {
    const log = startLog(plan, `order_${logs.length}`);
    const orders = clientOf(log);
    await runCall(orders, log);
    await close(orders, log);
  }

  async function runTogether({ shared, items }: GroupPlan): Promise<void> {
    const group = startLog(shared);
    const orders = clientOf(group);
    const each = items.map((plan, index) => startLog(plan, `${group.name}_${index % 15}`));
    await Promise.all(each.map((log) => runCall(orders, log)));
    await close(orders, group);
  }

  async function runCall(orders: OrdersClient, log: CallLog): Promise<void> {
    const { abortAfterMs, timeouts, isSafe } = log.plan;
    if (abortAfterMs !== undefined) log.signal = AbortSignal.timeout(abortAfterMs);
    const update = buildOrderUpdate({ order_id: log.name });
    const options = { ...optionsOf(log), ...eventsOf(log) };
    const startedAt = clock.now;
    const call = isSafe
      ? orders.safeUpdateOrder(log.token, update, options)
      : orders.updateOrder(log.token, update, options).then(
          (success): UpdateOrderResult => ({ ok: true, ...success }),
          (error): UpdateOrderResult => ({ ok: false, error }),
        );
    const settling = call
      .then(
        (result) => keep(log, result),
        (thrown) => report(log, `safeUpdateOrder rejected with ${show(thrown)}`),
      )
      .then(() => true);
    if (!(await clock.atMost(neverMs, settling))) report(log, 'it never settled');
    log.tookMs = clock.now - startedAt;
    const deadlineMs = Math.min(timeouts.total, abortAfterMs ?? timeouts.total);
    if (log.tookMs > deadlineMs + marginMs) report(log, `it took ${log.tookMs} ms of ${deadlineMs} ms`);
  }

  async function runBulk({ source, shared, items }: GroupPlan): Promise<void> {
    const bulk = startLog(shared);
    if (source) bulk.misbehaved.add(`source ${source}`);
    if (source === 'never settles') bulk.signal = AbortSignal.timeout(200);
    const given = items.map((plan, index) => {
      // A few orders get two updates, of which the second waits for the first.
      const log = startLog({ ...plan, isResent: shared.isResent }, `${bulk.name}_${index % 15}`);
      log.signal = bulk.signal;
      log.isInBulk = true;
      const update = buildOrderUpdate({ order_id: log.name });
      return { token: log.token, update, log, ...eventsOf(log) };
    });
    const read = new Set<unknown>();
    const reading = (function* () {
      for (const item of given) {
        read.add(item);
        yield item;
      }
    })();
    const orders = clientOf(bulk);
    const run = orders.updateOrders((source ? sources[source]?.(reading) : reading) as typeof given, {
      ...optionsOf(bulk),
      concurrency: 8,
      beforeAttempt: ({ item, attempt }) => item.beforeAttempt?.({ attempt }),
      afterAttempt: ({ item, ...end }) => item.afterAttempt?.(end),
    });
    const indexes: number[] = [];
    const collect = async (): Promise<string> => {
      for await (const result of run) {
        indexes.push(result.index);
        const known = given.find((item) => Object.is(item, result.item));
        if (known) keep(known.log, result);
        else if (result.error?.code !== 'validation_error' || result.error.outcome !== 'not_sent')
          report(bulk, `a junk item gave ${show(result)}`);
      }
      return 'ended';
    };
    const rejected = (thrown: unknown): string => `rejected with ${show(thrown)}`;
    const end = (await clock.atMost(neverMs * 2, collect().catch(rejected))) ?? 'never ended';
    const expected = /^(throws|rejects)/.test(source ?? '') ? /^rejected/ : /^ended/;
    // Junk in place of a step may be read as an item or as the end.
    if (!expected.test(end) && !/next\(\)$/.test(source ?? '')) report(bulk, `the bulk ${end}`);
    if (indexes.sort((a, b) => a - b).some((index, place) => index !== place))
      report(bulk, `the bulk gave the indexes ${indexes}`);
    for (const item of given)
      if (read.has(item) && !item.log.result) report(item.log, 'no result in its bulk');
    await close(orders, bulk);
  }

  function keep(log: CallLog, result: UpdateOrderResult): void {
    if (result.ok || isOwnError(result.error)) log.result = result;
    else report(log, `it failed with ${show(result.error)}`);
  }

  function startLog(plan: Plan, token = ''): CallLog {
    const log: CallLog = {
      plan,
      name: `call_${logs.length}`,
      token,
      did: {},
      misbehaved: new Set(),
      events: [],
      signal: undefined,
      isInBulk: false,
    };
    logs.push(log);
    if (token === '') return log;
    if (!service.order(token)) service.addOrder(token);
    // A connection names no order.
    for (const fault of plan.faults)
      service.faults.next(fault, fault.fault === 'reset_on_accept' ? {} : { token });
    return log;
  }

  function clientOf(log: CallLog): OrdersClient {
    const { plan } = log;
    const classifyResponse = plan.classifyResponse && {
      classifyResponse: callbackOf(log, 'classifyResponse', () => undefined) as never,
    };
    const options = { baseUrl: service.url, apiKey, ...classifyResponse };
    if (plan.entry === 'fetch') {
      const send = (url: string, init: RequestInit) => fetch(url, init);
      return createOverFetch({
        ...options,
        ...(plan.fetch && { fetch: callbackOf(log, 'fetch', send) as never }),
      });
    }
    const interceptor = plan.dispatcher && interceptors[plan.dispatcher];
    if (!interceptor) return createOverUndici({ ...options, ...(plan.isSafe && { dispatcher: agent }) });
    let requests = 0;
    const dispatcher = agent.compose(
      intercepting((send, handler) => {
        requests++;
        if (plan.at !== 0 && plan.at !== requests) return send(handler);
        log.misbehaved.add(`dispatcher ${plan.dispatcher}`);
        return interceptor(send, handler);
      }),
    );
    return createOverUndici({ ...options, dispatcher });
  }

  async function close(orders: OrdersClient, log: CallLog): Promise<void> {
    const closing = orders.close().then(() => true);
    if (!(await clock.atMost(neverMs, closing))) report(log, 'close() never ended');
  }

  function report({ name, plan, events, did }: CallLog, problem: string): void {
    problems.push(`${name}: ${problem}; ${events.join(' ')} ${JSON.stringify(did)} ${JSON.stringify(plan)}`);
  }

  function start(plan: Plan | GroupPlan): Promise<void> {
    if (!('items' in plan)) return runSingle(plan);
    return plan.isBulk ? runBulk(plan) : runTogether(plan);
  }

  const plans = plansOf(calls, seed).values();
  const work = async (): Promise<void> => {
    for (const plan of plans) await start(plan);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  // What a call left behind may reach the service still.
  await sleep(100);
  await agent.destroy();

  const applied = Map.groupBy(service.ledger, ({ body }) => body.order_id);
  const table: Record<string, Record<string, number>> = {};
  for (const log of logs) {
    for (const name of log.misbehaved) {
      const row = table[name] ?? {};
      table[name] = row;
      const { outcome = 'shared' } = (log.result?.ok ? log.result : log.result?.error) ?? {};
      row[outcome] = (row[outcome] ?? 0) + 1;
    }
    for (const problem of problemsOf(log, applied.get(log.name)?.length ?? 0)) report(log, problem);
  }
  const failed = logs.flatMap(({ did }) => did.afterAttempt ?? []);
  const thrown = failed.filter((what) => /^(throws|rejects)/.test(what)).length;
  // Whatever throws when it is waited for was rejected.
  const unreadable = failed.filter((what) => /revoked proxy|cannot be read/.test(what)).length;
  if (watch.warnings.length < thrown || watch.warnings.length > thrown + unreadable)
    problems.push(`${thrown} afterAttempts threw, and there were ${watch.warnings.length} warnings`);
  problems.push(...watch.uncaught.map((value) => `uncaught: ${value}`));
  const every = Object.entries(tables).flatMap(([callback, kinds]) =>
    Object.keys(kinds).map((name) => `${callback} ${name}`),
  );
  return { problems, table, missing: every.filter((name) => !table[name]) };
}

/** A callback of a call: it misbehaves as planned, or does its work. */
function callbackOf<Given extends unknown[]>(
  log: CallLog,
  callback: Callback,
  work: (...given: Given) => unknown,
): (...given: Given) => unknown {
  const { at, [callback]: name } = log.plan;
  const kinds: Readonly<Record<string, Misbehaviour>> = misbehaviours[callback];
  const misbehave = name === undefined ? undefined : kinds[name];
  const did: string[] = [];
  log.did[callback] = did;
  return (...given) => {
    if (!misbehave || (at !== 0 && at !== did.length + 1)) {
      did.push('works');
      return work(...given);
    }
    did.push(`${name}`);
    log.misbehaved.add(`${callback} ${name}`);
    return misbehave(() => work(...given));
  };
}

function optionsOf(log: CallLog): Omit<CallOptions, 'beforeAttempt' | 'afterAttempt'> {
  const { plan, signal } = log;
  const validate = callbackOf(log, 'responseSchema', (value: unknown) => ({ value }));
  const responseSchema = {
    '~standard': { version: 1, vendor: 'test', validate: validate as never },
  } as const;
  return {
    timeouts: plan.timeouts,
    retry: { resendUnknown: plan.isResent },
    ...(signal && { signal }),
    ...(plan.responseSchema && { responseSchema }),
    ...(plan.credentials && { credentials: callbackOf(log, 'credentials', () => basic(apiKey)) as never }),
  };
}

function eventsOf(log: CallLog): Pick<CallOptions, 'beforeAttempt' | 'afterAttempt'> {
  const { events, plan } = log;
  const before = callbackOf(log, 'beforeAttempt', () => undefined);
  const after = callbackOf(log, 'afterAttempt', () => undefined);
  const beforeAttempt = ({ attempt }: BeforeAttemptEvent): unknown => {
    events.push(`b${attempt}`);
    return before();
  };
  const afterAttempt = ({ attempt }: AfterAttemptEvent): unknown => {
    events.push(`a${attempt}`);
    return after();
  };
  return {
    ...(plan.hooks !== 'after' && { beforeAttempt }),
    ...(plan.hooks !== 'before' && { afterAttempt }),
  };
}

/** What a call that has settled did against its promises; `applied` is how often the ledger holds its update. */
function* problemsOf(log: CallLog, applied: number): Generator<string> {
  const { result, did, plan, signal, tookMs = Number.POSITIVE_INFINITY } = log;
  if (!result) return;
  const { outcome, attemptCount: attempts, receipt } = result.ok ? result : result.error;
  const code = result.error?.code;
  const least = outcome === 'applied' ? 1 : 0;
  const most = outcome === 'rejected' || outcome === 'not_sent' ? 0 : plan.isResent ? attempts : 1;
  if (applied < least || applied > most) yield `${outcome}, and the ledger holds it ${applied} times`;
  const outcomes = receipt.toJSON().attempts.map((attempt) => attempt.outcome);
  if (outcomes.length !== attempts) yield `${attempts} attempts, and ${outcomes.length} in its receipt`;
  const folded = (['applied', 'unknown'] as const).find((each) => outcomes.includes(each)) ?? outcomes.at(-1);
  if (outcome !== (folded ?? 'not_sent')) yield `${outcome} after attempts that ended ${outcomes}`;
  if (show(result).includes(apiKey)) yield 'it shows the key';

  const { responseSchema = [], credentials = [], beforeAttempt = [] } = did;
  if (responseSchema.length > 0 && outcome !== 'applied') yield `${outcome} after responseSchema was called`;
  if (result.ok && responseSchema.some((what) => !/^(works|is slow)$/.test(what)))
    yield 'it succeeded though its responseSchema failed';
  const junkAt = credentials.findIndex((what) => junkCredentials.test(what));
  if (junkAt >= 0 && (outcomes.at(-1) !== 'not_sent' || junkAt < credentials.length - 1))
    yield 'it was tried again after junk from credentials';

  const isLastBeforeClean = beforeAttempt.at(-1) === 'works';
  if (code === 'aborted' && !signal?.aborted && isLastBeforeClean) yield 'aborted by nothing';
  // A timer may fire a little early.
  const isOutOfTime = signal?.aborted || (code === 'timeout' && tookMs > plan.timeouts.total - 20);
  if (!arePaired(log, attempts, !isLastBeforeClean || isOutOfTime))
    yield `${attempts} attempts, and the events do not pair`;
}

/** Whatever throws when it is waited for counts as rejected, and may be tried again. */
const junkCredentials = /^returns (null|an empty|a (number|string|symbol|value whose))/;

/** Whether each attempt had its events, and only one that was not made a beforeAttempt alone. */
function arePaired({ events, plan, isInBulk }: CallLog, attempts: number, mayEndBefore = false): boolean {
  const names = { both: ['b', 'a'], before: ['b'], after: ['a'] }[plan.hooks];
  // An item of a bulk that a pause held back before anything left starts anew.
  const last = isInBulk ? events.slice(events.lastIndexOf(`${names[0]}1`)) : events;
  const paired = Array.from({ length: attempts }, (_, index) =>
    names.map((name) => `${name}${index + 1}`),
  ).flat();
  const alone = mayEndBefore ? [`b${attempts + 1}`] : [];
  return (
    (isInBulk && attempts === 0) || [paired, [...paired, ...alone]].some((each) => `${each}` === `${last}`)
  );
}

const outcomes: ReadonlySet<unknown> = new Set(['not_sent', 'rejected', 'applied', 'unknown']);

/** Whether it is an error of this call, and none that a callback threw. */
function isOwnError(value: unknown): boolean {
  try {
    return isOrdersError(value) && value.message !== 'another call' && outcomes.has(value.outcome);
  } catch {
    return false;
  }
}

/** Counts the time in which this process could run, so that a busy machine makes no call late. */
class StallFreeClock {
  /** Milliseconds. */
  now = 0;
  readonly #timer = setInterval(() => {
    this.now += 10;
  }, 10);

  /** Waits for what is done, no longer than so many milliseconds; `undefined` when it is not. */
  async atMost<Done>(ms: number, done: Promise<Done>): Promise<Done | undefined> {
    const endsAt = this.now + ms;
    let isDone = false;
    const watch = async (): Promise<undefined> => {
      while (!isDone && this.now < endsAt) await sleep(100);
    };
    try {
      return await Promise.race([done, watch()]);
    } finally {
      isDone = true;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
