import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { basic } from '@orders/auth';
import { ValidationError } from '../src/index.ts';
import type { Dispatcher } from '../src/undici.ts';

export const apiKey = 'swordfish-swordfish';

type Make = () => unknown;
type Table<Value> = Readonly<Record<string, Value>>;

/** A table made of another one, whose names take the place of the star in a pattern. */
function tableOf<Value, Made>(
  values: Table<Value>,
  pattern: string,
  make: (value: Value) => Made,
): Table<Made> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [pattern.replace('*', name), make(value)]),
  );
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function unreadable(): never {
  throw new Error('cannot be read');
}

const symbol: Make = () => Symbol('callback failed');
const neverSettling: Make = () => new Promise(() => {});

/** What can be thrown, by name. */
export const thrown: Table<Make> = {
  'an error': () => new Error('callback failed'),
  'a symbol': symbol,
  undefined: () => undefined,
  'a null-prototype object': () => Object.create(null),
  'a revoked proxy': revokedProxy,
  'an error that cannot be read': () =>
    Object.defineProperties(new Error(), { message: { get: unreadable }, name: { get: unreadable } }),
  // Its outcome is that of the other call, whatever became of this one.
  'the error of another call': () =>
    Object.assign(Object.create(ValidationError.prototype), {
      message: 'another call',
      code: 'validation_error',
      outcome: 'not_sent',
      attemptCount: 0,
    }),
};

const readableJunk: Table<Make> = {
  null: () => null,
  'a number': () => 42,
  'a string': () => 'junk',
  'a symbol': symbol,
  'an empty object': () => ({}),
};

/** What throws when it is awaited. */
const unreadableJunk: Table<Make> = {
  'a revoked proxy': revokedProxy,
  'an object that cannot be read': () => new Proxy({}, { get: unreadable, has: unreadable }),
};

/** What can be returned or passed on in place of a valid value, by name. */
const junk: Table<Make> = { ...readableJunk, ...unreadableJunk };

/**
 * What a misbehaviour amounts to: `unreadable` is a returned value that throws when it is awaited, `slow` and `usable`
 * do the work all the same.
 */
export type Kind = 'throws' | 'rejects' | 'hangs' | 'junk' | 'unreadable' | 'slow' | 'usable';

/** What a callback does in place of its work, which it may still do. */
export interface Misbehaviour {
  readonly kind: Kind;
  readonly run: (work: () => unknown) => unknown;
}

/** A table whose entries are all of one kind. */
function ofKind<K, Run>(kind: K, table: Table<Run>): Table<{ readonly kind: K; readonly run: Run }> {
  return Object.fromEntries(Object.entries(table).map(([name, run]) => [name, { kind, run }]));
}

export const throwing = (make: Make) => (): never => {
  throw make();
};
const rejecting = (make: Make) => async () => {
  throw make();
};

const anywhere: Table<Misbehaviour> = {
  ...ofKind('throws', tableOf(thrown, 'throws *', throwing)),
  ...ofKind('rejects', tableOf(thrown, 'rejects with *', rejecting)),
  ...ofKind(
    'junk',
    tableOf(readableJunk, 'returns *', (make) => make),
  ),
  ...ofKind(
    'unreadable',
    tableOf(unreadableJunk, 'returns *', (make) => make),
  ),
};

const whereAwaited: Table<Misbehaviour> = {
  ...anywhere,
  ...ofKind('hangs', {
    'never settles': neverSettling,
    // biome-ignore lint/suspicious/noThenProperty: whatever has a `then` is awaited.
    'returns a thenable that never settles': () => ({ then() {} }),
  }),
  'is slow': {
    kind: 'slow',
    run: async (work) => {
      await sleep(30);
      return work();
    },
  },
};

/** What `fetch` may return without a request, as no response to one is applied. */
const failure = { status: 500, headers: [], body: null };

/** What each callback may do, by its name among the options and by a name of what it does. */
export const misbehaviours = {
  responseSchema: {
    ...whereAwaited,
    ...ofKind('junk', {
      'returns issues that cannot be read': () => Object.defineProperty({}, 'issues', { get: unreadable }),
      'returns a value that cannot be read': () => Object.defineProperty({}, 'value', { get: unreadable }),
      'returns issues that are a number': () => ({ issues: 42 }),
      'returns an issue that is null': () => ({ issues: [null] }),
      'returns an issue whose message is a symbol': () => ({ issues: [{ message: symbol() }] }),
    }),
  },
  classifyResponse: { ...anywhere, 'returns a promise': { kind: 'junk', run: async () => 'rejected' } },
  credentials: {
    ...whereAwaited,
    ...ofKind('junk', {
      'returns a value whose reveal throws a symbol': () => ({ reveal: throwing(symbol) }),
      'returns a value whose reveal returns a number': () => ({ reveal: () => 42 }),
      'returns a value whose reveal returns a line break': () => ({
        reveal: () => 'Basic a\r\nx-injected: 1',
      }),
    }),
    'returns a value that reveals itself once': {
      kind: 'usable',
      run: () => {
        const values = [basic(apiKey).reveal()];
        return { reveal: () => values.pop() ?? unreadable() };
      },
    },
  },
  beforeAttempt: whereAwaited,
  beforeSend: anywhere,
  afterAttempt: whereAwaited,
  fetch: {
    ...whereAwaited,
    ...ofKind('junk', {
      ...tableOf(junk, 'returns a response whose status is *', (make) => () => ({
        ...failure,
        status: make(),
      })),
      ...tableOf(junk, 'returns a response whose headers are *', (make) => () => ({
        ...failure,
        headers: make(),
      })),
      ...tableOf(junk, 'returns a response whose header is *', (make) => () => ({
        ...failure,
        headers: [['content-type', make()]],
      })),
      ...tableOf(junk, 'returns a response whose body is *', (make) => () => ({ ...failure, body: make() })),
      ...tableOf(junk, 'returns a response whose data is *', (make) => () => ({
        ...failure,
        body: { getReader: () => ({ read: async () => ({ value: make() }) }) },
      })),
    }),
  },
} satisfies Record<string, Table<Misbehaviour>>;

type Handler = Dispatcher.DispatchHandler;
type Notify = (...given: unknown[]) => void;

/** What a dispatcher may do with a request: `send` dispatches it, to whichever handler. */
export type Interceptor = (send: (handler: Handler) => unknown, handler: Handler) => unknown;

/** An interceptor as undici composes it. */
export function intercepting(interceptor: Interceptor): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    interceptor((other) => dispatch(options, other), handler) as boolean;
}

const events = {
  onRequestStart: 'onRequestStart',
  onResponseStart: 'onResponseStart',
  onResponseData: 'onResponseData',
  onResponseEnd: 'onResponseEnd',
} as const;
type Event = keyof typeof events | 'onResponseError';
const { onRequestStart, ...laterEvents } = events;
const { onResponseEnd, ...earlierEvents } = events;

/** Sends with a handler that passes notifications on in its own way. */
function passing(
  pass: (event: Event, notify: Notify, given: unknown[], handler: Handler) => void,
): Interceptor {
  return (send, handler) => {
    const entries = [...Object.values(events), 'onResponseError' as const].map((event) => {
      const notify: Notify = (...given) => (handler[event] as Notify | undefined)?.apply(handler, given);
      return [event, (...given: unknown[]) => pass(event, notify, given, handler)] as const;
    });
    return send(Object.fromEntries(entries));
  };
}

/** Replaces one argument of one notification. */
const replacing = (replaced: Event, place: number) => (make: Make) =>
  passing((event, notify, given) => notify(...(event === replaced ? given.with(place, make()) : given)));

const dispatchingFirst =
  (end: Make): Interceptor =>
  (send, handler) => {
    send(handler);
    return end();
  };

const inPlaceOf = (failing: Event): Interceptor =>
  passing((event, notify, given) => {
    if (event === failing) throw symbol();
    notify(...given);
  });

const after = (failing: Event): Interceptor =>
  passing((event, notify, given) => {
    notify(...given);
    if (event === failing) throw symbol();
  });

/** What a dispatcher may do, by name. It keeps to undici's contract that onRequestStart comes before the first byte. */
const interceptorsByKind = {
  /** The request never leaves. */
  fails: {
    ...tableOf(thrown, 'throws *', throwing),
    ...tableOf(
      thrown,
      'reports * as its error',
      (make): Interceptor =>
        (_send, handler) =>
          queueMicrotask(() => handler.onResponseError?.(null as never, make() as Error)),
    ),
    ...tableOf({ onRequestStart }, 'throws in place of *', inPlaceOf),
  },
  silent: {
    'never calls back': () => true,
  },
  no_response: {
    'never reports the response': passing((event, notify, given) => {
      if (event === 'onRequestStart') notify(...given);
    }),
  },
  harmless: {
    ...tableOf(readableJunk, 'returns *', dispatchingFirst),
    ...tableOf({ onResponseEnd }, 'throws after *', after),
    'reports another response after the end': passing((event, notify, given, handler) => {
      notify(...given);
      if (event !== 'onResponseEnd') return;
      const controller = given[0] as Dispatcher.DispatchController;
      for (const late of [404, symbol() as never])
        setImmediate(() => {
          handler.onRequestStart?.(controller, {});
          handler.onResponseStart?.(controller, late, {});
          handler.onResponseData?.(controller, Buffer.from('late'));
          handler.onResponseEnd?.(controller, {});
          handler.onResponseError?.(controller, new Error('late'));
        });
    }),
    'dispatches late': (send, handler) => void setTimeout(() => send(handler), 30),
  },
  junk_status: tableOf(junk, 'reports a status that is *', replacing('onResponseStart', 1)),
  junk_data: tableOf(junk, 'reports data that is *', replacing('onResponseData', 1)),
  twice: {
    'reports everything twice': passing((_event, notify, given) => {
      notify(...given);
      notify(...given);
    }),
  },
  /** How the call ends depends on when it is noticed. */
  other: {
    'passes a controller whose abort throws, and then nothing': (_send, handler) =>
      void queueMicrotask(() => {
        const abort = (): never => {
          throw new Error('abort');
        };
        handler.onRequestStart?.({ abort } as never, {});
      }),
    ...tableOf(thrown, 'throws * after it has dispatched', (make) => dispatchingFirst(throwing(make))),
    ...tableOf(thrown, 'rejects with * after it has dispatched', (make) => dispatchingFirst(rejecting(make))),
    ...tableOf(unreadableJunk, 'returns *', dispatchingFirst),
    ...tableOf(laterEvents, 'throws in place of *', inPlaceOf),
    ...tableOf(earlierEvents, 'throws after *', after),
    ...tableOf(junk, 'reports headers that are *', replacing('onResponseStart', 2)),
    ...tableOf(junk, 'reports a header that is *', (make) =>
      replacing('onResponseStart', 2)(() => ({ 'content-type': make(), 'retry-after': make() })),
    ),
    // What is thrown there is not undici's to catch.
    ...tableOf(
      junk,
      'reports a response of * from a timer',
      (make): Interceptor =>
        (send, handler) =>
          passing((event, notify, given) => {
            if (event === 'onRequestStart') notify(...given);
            const value = make() as never;
            const controller = given[0] as Dispatcher.DispatchController;
            if (event === 'onResponseStart')
              setImmediate(() => handler.onResponseStart?.(controller, value, value));
            if (event === 'onResponseData') setImmediate(() => handler.onResponseData?.(controller, value));
            if (event === 'onResponseEnd') setImmediate(() => handler.onResponseEnd?.(controller, value));
          })(send, handler),
    ),
  },
} satisfies Record<string, Table<Interceptor>>;

/** What the behaviour of a dispatcher amounts to. */
export type DispatcherKind = keyof typeof interceptorsByKind;

export const interceptors: Table<{ readonly kind: DispatcherKind; readonly run: Interceptor }> =
  Object.assign({}, ...Object.entries(interceptorsByKind).map(([kind, table]) => ofKind(kind, table)));

/** What may stand among the items of a run, by name. */
export const junkItems: Table<Make> = {
  ...junk,
  'an item whose token is a symbol': () => ({ token: symbol(), update: { cart: {} } }),
  'an item whose token cannot be read': () => Object.defineProperty({}, 'token', { get: unreadable }),
  'an item whose update cannot be read': () =>
    Object.defineProperty({ token: 'order' }, 'update', { get: unreadable }),
  'an item whose update is a revoked proxy': () => ({ token: 'order', update: revokedProxy() }),
};

/** Makes the source of a run, which takes its items from those given. */
export type Source = (items: Iterable<unknown>) => Iterable<unknown> | AsyncIterable<unknown>;

/** Yields three items, then what `interrupt` returns unless it throws, then the others. */
function* interrupted(items: Iterable<unknown>, interrupt: Make): Generator<unknown> {
  let yielded = 0;
  for (const item of items) {
    yield item;
    if (++yielded === 3) yield interrupt();
  }
}

export const interrupting =
  (interrupt: Make): Source =>
  (items) =>
    interrupted(items, interrupt);

export const interruptingAsync = (interrupt: Make): Source =>
  async function* (items) {
    yield* interrupted(items, interrupt);
  };

/** What a source amounts to: one that `fails` ends its run, and `junk_steps` may be read as items or as the end. */
export type SourceKind = 'fails' | 'junk_items' | 'junk_steps' | 'hangs' | 'slow';

export const neverSettlingSource: Source = interruptingAsync(neverSettling);

/** What a source may do, by name. */
export const sources: Table<{ readonly kind: SourceKind; readonly run: Source }> = {
  ...ofKind('fails', {
    ...tableOf(thrown, 'throws *', (make) => interrupting(throwing(make))),
    ...tableOf(thrown, 'rejects with *', (make) => interruptingAsync(throwing(make))),
  }),
  ...ofKind('junk_items', tableOf(junkItems, 'yields *', interrupting)),
  ...ofKind(
    'junk_steps',
    tableOf(
      junk,
      'returns * from next()',
      (make): Source =>
        (items) => {
          const iterator = items[Symbol.iterator]();
          let steps = 0;
          const next = (): unknown => (steps++ === 3 ? make() : iterator.next());
          return { [Symbol.iterator]: () => ({ next }) as Iterator<unknown> };
        },
    ),
  ),
  'never settles': { kind: 'hangs', run: neverSettlingSource },
  'is slow': {
    kind: 'slow',
    run: async function* (items) {
      for (const item of items) {
        await sleep(5);
        yield item;
      }
    },
  },
};

/** Any value as text, also one that throws when it is read. */
export function show(value: unknown): string {
  try {
    return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY });
  } catch {
    return 'a value that cannot be shown';
  }
}

/** What reached the process, as text: its warnings, and what was thrown and not caught. */
export interface ProcessWatch extends Disposable {
  readonly warnings: readonly string[];
  readonly uncaught: readonly string[];
}

/** Listens in place of the test runner, which ends when it cannot read what was thrown. */
export function watchProcess(): ProcessWatch {
  const emitter: NodeJS.EventEmitter = process;
  const warnings: string[] = [];
  const uncaught: string[] = [];
  const taken = { warning: warnings, uncaughtException: uncaught, unhandledRejection: uncaught };
  const usual = Object.entries(taken).map(([event, list]) => {
    const listeners = emitter.listeners(event);
    emitter.removeAllListeners(event).on(event, (value) => list.push(show(value)));
    return { event, listeners };
  });
  return {
    warnings,
    uncaught,
    [Symbol.dispose]() {
      for (const { event, listeners } of usual) {
        emitter.removeAllListeners(event);
        for (const listener of listeners) emitter.on(event, listener as () => void);
      }
    },
  };
}
