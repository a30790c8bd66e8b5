import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '@orders/auth';
import { buildOrderUpdate, type Fault, startMockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { createOrdersClient as createOverFetch } from '../src/fetch.ts';
import {
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type CallOptions,
  createOrdersClient as createOverUndici,
  type OrdersClient,
  OrdersError,
  type UpdateOrderResult,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import {
  apiKey,
  intercepting,
  interceptors,
  type Kind,
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
  /** Which of its calls a callback misbehaves in; 0 is each. */
  readonly at: number;
  /** Which of beforeAttempt and afterAttempt are given. */
  readonly hooks: 'both' | 'before' | 'after';
  readonly timeouts: { readonly total: number; readonly attempt: number };
  readonly abortAfterMs?: number | undefined;
  /** Whether an unknown outcome is resent, so that an update may be applied twice. */
  readonly isResent: boolean;
  readonly faults: readonly Fault[];
};

/** Calls over one client: single ones at the same time, or a run of `updateOrders`. */
interface Group {
  readonly isRun: boolean;
  readonly source?: string | undefined;
  /** What the client has, and for a run also the options of its calls, except beforeAttempt and afterAttempt. */
  readonly shared: Plan;
  readonly calls: readonly Plan[];
}

const plain: Plan = {
  entry: 'undici',
  isSafe: true,
  at: 0,
  hooks: 'both',
  isResent: false,
  timeouts: { total: 1_500, attempt: 1_200 },
  faults: [],
};

const status = (code: number, headers: Record<string, string> = {}, applied = false): Fault => ({
  type: 'status',
  status: code,
  headers,
  applied,
});

const faults: readonly Fault[] = [
  ...Array.from({ length: 30 }, () => ({ type: 'none' }) as const),
  ...[400, 404, 408, 409, 429, 500, 503].map((code) => status(code)),
  status(429, { 'retry-after': '0' }),
  status(429, { 'retry-after': '1' }),
  status(500, {}, true),
  status(503, { 'retry-after': '0' }),
  status(503, { 'retry-after': '0' }, true),
  { type: 'redirect' },
  { type: 'empty' },
  { type: 'no_content' },
  { type: 'invalid_json' },
  { type: 'wrong_media_type' },
  { type: 'wrong_media_type', applied: true },
  { type: 'latency', ms: 50 },
  { type: 'latency', ms: 400 },
  { type: 'stalled_headers' },
  { type: 'stalled_body' },
  { type: 'slow_drip', intervalMs: 2 },
  { type: 'truncation' },
  { type: 'oversize', bytes: 2_000_000, chunked: true },
  { type: 'gzip_bomb', bytes: 2_000_000 },
  { type: 'close_after_response' },
  { type: 'garbage' },
  { type: 'garbage', applied: true },
  { type: 'reset_on_accept' },
  { type: 'reset_before_body' },
  { type: 'reset_on_reuse' },
  { type: 'reset_before_applying' },
  { type: 'reset_after_applying' },
  { type: 'restart', downMs: 20 },
  { type: 'restart', downMs: 20, applied: true },
];

const isLimit = (fault: Fault): boolean => fault.type === 'status' && fault.status === 429;

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
  beforeSend: sometimes(8, misbehaviours.beforeSend),
  afterAttempt: sometimes(25, misbehaviours.afterAttempt),
  dispatcher: sometimes(15, interceptors),
  fetch: sometimes(8, misbehaviours.fetch),
});

const single = (plan: Plan): Group => ({ isRun: false, shared: plan, calls: [plan] });

const randomGroup: fc.Arbitrary<Group> = fc.record({
  isRun: fc.boolean(),
  source: sometimes(50, sources),
  shared: randomPlan,
  calls: fc.array(randomPlan, { minLength: 20, maxLength: 20 }),
});

const tables = { ...misbehaviours, dispatcher: interceptors, source: sources };
const everyMisbehaviour = Object.entries(tables).flatMap(([callback, table]) =>
  Object.keys(table).map((name) => ({ callback, name })),
);

/** Every misbehaviour by itself, without faults, then as many at random as make up the calls. */
function createGroups(count: number, seed: number): Group[] {
  const alone = everyMisbehaviour.map(({ callback, name }, index): Group => {
    if (callback === 'source')
      return { isRun: true, source: name, shared: plain, calls: Array(5).fill(plain) };
    const isOverFetch = callback === 'fetch' || (callback !== 'dispatcher' && index % 2 === 0);
    return single({ ...plain, entry: isOverFetch ? 'fetch' : 'undici', [callback]: name });
  });
  const random = fc.oneof(
    { weight: 40, arbitrary: randomPlan.map(single) },
    { weight: 1, arbitrary: randomGroup },
  );
  let planned = 0;
  return [...alone, ...fc.sample(random, { numRuns: count, seed })].filter(({ calls }) => {
    if (planned >= count) return false;
    planned += calls.length;
    return true;
  });
}

/** What a callback did when it was called. */
interface Deed {
  readonly name: string;
  readonly kind: Kind | 'works';
}

/** What one call did, or what the calls of one client shared. */
interface CallLog {
  readonly plan: Plan;
  readonly name: string;
  readonly token: string;
  /** What each callback did, each time it was called. */
  readonly did: Partial<Record<Callback, Deed[]>>;
  /** `b1` is beforeAttempt of attempt 1, `a1` its afterAttempt. */
  readonly events: string[];
  readonly isInRun: boolean;
  signal: AbortSignal | undefined;
  /** Whether a 429 to another call of its client may pause the key for longer than it has time. */
  mayBePaused?: boolean;
  result?: UpdateOrderResult;
  /** Until it settled, stalls of the process included. */
  tookMs?: number;
}

interface ChaosReport {
  /** Every promise that was broken, with the plan of the call. */
  readonly problems: readonly string[];
  /** Every misbehaviour that never occurred. */
  readonly missing: readonly string[];
}

/** Makes calls with misbehaving callbacks to a service with faults, many at a time, and checks what is promised of each. */
export async function runCallbackChaos(count: number, seed: number): Promise<ChaosReport> {
  await using service = await startMockOrderService({ keys: [apiKey], orders: ['order'] });
  using clock = new StallFreeClock();
  using watch = watchProcess();
  const agent = new Agent();
  const logs: CallLog[] = [];
  const problems: string[] = [];
  const occurred = new Set<string>();

  async function runGroup({ isRun, source, shared, calls }: Group): Promise<void> {
    const group = startLog(shared);
    const orders = createClient(group);
    // A few orders get two updates, of which the second waits for the first.
    const { isResent, beforeSend } = shared;
    const each = calls.map((plan, index) =>
      startLog(isRun ? { ...plan, isResent, beforeSend } : plan, `${group.name}_${index % 15}`, isRun),
    );
    const limited = each.filter(({ plan }) => plan.faults.some(isLimit));
    // A fault belongs to an order: the other call with an update of it may meet the fault that was planned for this one.
    for (const log of each)
      log.mayBePaused = limited.some(
        (planned) => planned !== log || each.some((other) => other !== log && other.token === log.token),
      );
    if (isRun) await runMany(orders, { group, source, each });
    else await Promise.all(each.map((log) => runCall(orders, log)));
    const closing = orders.close().then(() => true);
    if (!(await clock.atMost(neverMs, closing))) report(group, 'close() never ended');
  }

  async function runCall(orders: OrdersClient, log: CallLog): Promise<void> {
    const { abortAfterMs, timeouts, isSafe } = log.plan;
    if (abortAfterMs !== undefined) log.signal = AbortSignal.timeout(abortAfterMs);
    const update = buildOrderUpdate({ order_id: log.name });
    const options = { ...optionsOf(log), ...hooksOf(log) };
    const [startedAt, calledAt] = [clock.now, performance.now()];
    const call = isSafe
      ? orders.safeUpdateOrder(log.token, update, options)
      : orders.updateOrder(log.token, update, options).then(
          (success): UpdateOrderResult => ({ ok: true, ...success }),
          (error: OrdersError): UpdateOrderResult => {
            const { outcome, attemptCount, receipt, requestId } = error;
            return { ok: false, error, outcome, attemptCount, receipt, requestId };
          },
        );
    const settling = call
      .then(
        (result) => keep(log, result),
        (thrown) => report(log, `safeUpdateOrder rejected with ${show(thrown)}`),
      )
      .then(() => true);
    if (!(await clock.atMost(neverMs, settling))) report(log, 'it never settled');
    log.tookMs = performance.now() - calledAt;
    const ranMs = clock.now - startedAt;
    const deadlineMs = Math.min(timeouts.total, abortAfterMs ?? timeouts.total);
    if (ranMs > deadlineMs + marginMs) report(log, `it took ${ranMs} ms of ${deadlineMs} ms`);
  }

  async function runMany(
    orders: OrdersClient,
    { group, source = '', each }: { group: CallLog; source: string | undefined; each: readonly CallLog[] },
  ): Promise<void> {
    if (source) occurred.add(`source ${source}`);
    const { kind: sourceKind, run: open } = sources[source] ?? {};
    if (sourceKind === 'hangs') group.signal = AbortSignal.timeout(200);
    const items = each.map((log) => {
      log.signal = group.signal;
      return { token: log.token, update: buildOrderUpdate({ order_id: log.name }), log, ...hooksOf(log) };
    });
    const read = new Set<unknown>();
    const reading = (function* () {
      for (const item of items) {
        read.add(item);
        yield item;
      }
    })();
    const run = orders.updateOrders((open?.(reading) ?? reading) as typeof items, {
      ...optionsOf(group),
      concurrency: 8,
      beforeAttempt: ({ item, attempt }) => item.beforeAttempt?.({ attempt }),
      afterAttempt: ({ item, ...end }) => item.afterAttempt?.(end),
    });
    const indexes: number[] = [];
    const collect = async (): Promise<string> => {
      for await (const result of run) {
        indexes.push(result.index);
        const known = items.find((item) => Object.is(item, result.item));
        if (known) keep(known.log, result);
        else if (result.error?.code !== 'validation_error' || result.error.outcome !== 'not_sent')
          report(group, `the result of a junk item is ${show(result)}`);
      }
      return 'ended';
    };
    const rejected = (thrown: unknown): string => `rejected with ${show(thrown)}`;
    const end = (await clock.atMost(neverMs * 2, collect().catch(rejected))) ?? 'never ended';
    const expected = sourceKind === 'fails' ? /^rejected/ : /^ended/;
    if (!expected.test(end) && sourceKind !== 'junk_steps') report(group, `the run ${end}`);
    if (indexes.sort((a, b) => a - b).some((index, place) => index !== place))
      report(group, `the results have the indexes ${indexes}`);
    for (const item of items)
      if (read.has(item) && !item.log.result) report(item.log, 'no result in its run');
  }

  function keep(log: CallLog, result: UpdateOrderResult): void {
    if (result.ok || isOwnError(result.error)) log.result = result;
    else report(log, `it failed with ${show(result.error)}`);
  }

  function startLog(plan: Plan, token = '', isInRun = false): CallLog {
    const name = `call_${logs.length}`;
    const log: CallLog = { plan, name, token, did: {}, events: [], signal: undefined, isInRun };
    logs.push(log);
    if (token === '') return log;
    if (!service.order(token)) service.addOrder(token);
    // A connection names no order.
    for (const fault of plan.faults)
      service.faults.next(fault, fault.type === 'reset_on_accept' ? {} : { token });
    return log;
  }

  function createClient(log: CallLog): OrdersClient {
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
        occurred.add(`dispatcher ${plan.dispatcher}`);
        return interceptor.run(send, handler);
      }),
    );
    return createOverUndici({ ...options, dispatcher });
  }

  function report({ name, plan, events, did, result }: CallLog, problem: string): void {
    const ended = result?.error?.code ?? 'success';
    problems.push(
      `${name} (${ended}): ${problem}; ${events.join(' ')} ${JSON.stringify(did)} ${JSON.stringify(plan)}`,
    );
  }

  const groups = createGroups(count, seed).values();
  const work = async (): Promise<void> => {
    for (const group of groups) await runGroup(group);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  // What a call left behind may reach the service still.
  await sleep(100);
  await agent.destroy();

  const applied = Map.groupBy(service.ledger, ({ body }) => body.order_id);
  for (const log of logs) {
    for (const problem of problemsOf(log, applied.get(log.name)?.length ?? 0)) report(log, problem);
    for (const [callback, did] of Object.entries(log.did))
      for (const { name } of did) occurred.add(`${callback} ${name}`);
  }
  const ended = logs.flatMap(({ did }) => did.afterAttempt ?? []);
  const thrown = ended.filter(isThrow).length;
  // What throws when it is awaited was rejected.
  const unreadable = ended.filter(({ kind }) => kind === 'unreadable').length;
  if (watch.warnings.length < thrown || watch.warnings.length > thrown + unreadable)
    problems.push(`${thrown} afterAttempts threw, and there were ${watch.warnings.length} warnings`);
  problems.push(...watch.uncaught.map((value) => `uncaught: ${value}`));
  const every = everyMisbehaviour.map(({ callback, name }) => `${callback} ${name}`);
  return { problems, missing: every.filter((name) => !occurred.has(name)) };
}

const isThrow = ({ kind }: Deed): boolean => kind === 'throws' || kind === 'rejects';

/** A callback of a call: it misbehaves as planned, or does its work. */
function callbackOf<Given extends unknown[]>(
  log: CallLog,
  callback: Callback,
  work: (...given: Given) => unknown,
): (...given: Given) => unknown {
  const { at, [callback]: name = '' } = log.plan;
  const misbehave = (misbehaviours[callback] as Readonly<Record<string, Misbehaviour>>)[name];
  const did: Deed[] = [];
  log.did[callback] = did;
  return (...given) => {
    const isWorking = !misbehave || (at !== 0 && at !== did.length + 1);
    did.push(isWorking ? { name: 'works', kind: 'works' } : { name, kind: misbehave.kind });
    return isWorking ? work(...given) : misbehave.run(() => work(...given));
  };
}

function optionsOf(log: CallLog): Omit<CallOptions, 'beforeAttempt' | 'afterAttempt'> {
  const { plan, signal } = log;
  const validate = callbackOf(log, 'responseSchema', (value: unknown) => ({ value })) as never;
  const credentials = callbackOf(log, 'credentials', () => basic(apiKey)) as never;
  const beforeSend = callbackOf(log, 'beforeSend', () => undefined) as never;
  return {
    timeouts: plan.timeouts,
    retry: { resendUnknown: plan.isResent },
    ...(signal && { signal }),
    ...(plan.responseSchema && { responseSchema: { '~standard': { version: 1, vendor: 'test', validate } } }),
    ...(plan.credentials && { credentials }),
    ...(plan.beforeSend && { beforeSend }),
  };
}

function hooksOf(log: CallLog): Pick<CallOptions, 'beforeAttempt' | 'afterAttempt'> {
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
  const { result, did, plan, signal, mayBePaused, tookMs = Number.POSITIVE_INFINITY } = log;
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

  const { responseSchema = [], credentials = [], beforeAttempt = [], beforeSend = [] } = did;
  if (responseSchema.length > 0 && outcome !== 'applied') yield `${outcome} after responseSchema was called`;
  if (result.ok && responseSchema.some(({ kind }) => kind !== 'works' && kind !== 'slow'))
    yield 'it succeeded though its responseSchema failed';
  // What throws when it is awaited counts as rejected, and may be retried.
  const junkAt = credentials.findIndex(({ kind }) => kind === 'junk');
  if (junkAt >= 0 && (outcomes.at(-1) !== 'not_sent' || junkAt < credentials.length - 1))
    yield 'it was retried after junk from credentials';
  const failedAt = beforeSend.findIndex(isThrow);
  if (
    failedAt >= 0 &&
    !plan.dispatcher &&
    (outcomes.at(-1) !== 'not_sent' || failedAt < beforeSend.length - 1)
  )
    yield 'it was sent or retried after beforeSend threw';

  const isLastBeforeClean = beforeAttempt.at(-1)?.kind === 'works';
  if (code === 'aborted' && !signal?.aborted && isLastBeforeClean && !plan.beforeSend)
    yield 'aborted by nothing';
  // A timer may fire a little early, and a wait for longer than a call has time fails at once.
  const isLate = mayBePaused || tookMs > plan.timeouts.total - 20;
  const isOutOfTime = signal?.aborted || (code === 'timeout' && isLate);
  if (!arePaired(log, attempts, !isLastBeforeClean || isOutOfTime))
    yield `${attempts} attempts, and the events do not pair`;
}

/** Whether each attempt had its events, and only one that was not made a beforeAttempt alone. */
function arePaired({ events, plan, isInRun }: CallLog, attempts: number, mayEndBefore = false): boolean {
  const names = { both: ['b', 'a'], before: ['b'], after: ['a'] }[plan.hooks];
  // An item of a run that a pause delayed before anything left starts anew.
  const last = isInRun ? events.slice(events.lastIndexOf(`${names[0]}1`)) : events;
  const paired = Array.from({ length: attempts }, (_, index) =>
    names.map((name) => `${name}${index + 1}`),
  ).flat();
  const alone = mayEndBefore ? [`b${attempts + 1}`] : [];
  return (
    (isInRun && attempts === 0) || [paired, [...paired, ...alone]].some((each) => `${each}` === `${last}`)
  );
}

const outcomes: ReadonlySet<unknown> = new Set(['not_sent', 'rejected', 'applied', 'unknown']);

/** Whether it is an error of this call, and none that a callback threw. */
function isOwnError(value: unknown): boolean {
  try {
    return value instanceof OrdersError && value.message !== 'another call' && outcomes.has(value.outcome);
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

  /** Waits for a promise, no longer than so many milliseconds; `undefined` when it is still pending. */
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
