import { Worker } from 'node:worker_threads';
import type { Pause, SharedWithWorker, WorkerCalls } from './pause-worker.ts';

/** A worker in a thread of its own, which a test pauses at any `await`. */
export interface PausableWorker extends WorkerCalls {
  readonly isPaused: boolean;
  /** Whether it has paused; if it has not, it will not. */
  disarm(): boolean;
  /** Sets its clocks forward or back. */
  shift(clocks: { readonly monotonicMs?: number; readonly wallMs: number }): void;
  resume(): void;
  end(): Promise<void>;
}

/** Starts a thread that works on an outbox once that is opened. */
export function startPausableWorker(): PausableWorker {
  const shared: SharedWithWorker = {
    gate: new Int32Array(new SharedArrayBuffer(8)),
    clocks: new Float64Array(new SharedArrayBuffer(16)),
  };
  const { gate, clocks } = shared;
  const thread = new Worker(new URL('./pause-worker.ts', import.meta.url), {
    workerData: shared,
    execArgv: ['--conditions=@orders/source'],
  });
  const pending = new Map<number, PromiseWithResolvers<never>>();
  let failure: unknown;
  thread.on('error', (error) => {
    failure = error;
    for (const { reject } of pending.values()) reject(error);
  });
  thread.on('message', ({ id, result, error }) => {
    if (error) pending.get(id)?.reject(error);
    else pending.get(id)?.resolve(result as never);
    pending.delete(id);
  });
  let made = 0;
  const call =
    (name: keyof WorkerCalls) =>
    (...args: unknown[]): Promise<never> => {
      const settling = Promise.withResolvers<never>();
      if (failure) settling.reject(failure);
      pending.set(++made, settling);
      thread.postMessage({ id: made, name, args });
      return settling.promise;
    };
  return {
    sites: call('sites'),
    open: call('open'),
    async arm(pause?: Pause) {
      await call('arm')(pause);
      Atomics.store(gate, 1, pause ? 1 : 0);
    },
    passes: call('passes'),
    goOn: call('goOn'),
    close: call('close'),
    warnings: call('warnings'),
    enqueue: call('enqueue'),
    history: call('history'),
    discard: call('discard'),
    retry: call('retry'),
    resolve: call('resolve'),
    get isPaused() {
      return Atomics.load(gate, 0) === 1;
    },
    disarm: () => Atomics.exchange(gate, 1, 0) === 0 && Atomics.load(gate, 0) === 1,
    shift({ monotonicMs = 0, wallMs }) {
      clocks.set([Number(clocks[0]) + monotonicMs, Number(clocks[1]) + wallMs]);
    },
    resume() {
      Atomics.store(gate, 0, 0);
      Atomics.notify(gate, 0);
      call('goOn')().catch(() => {});
    },
    async end() {
      await thread.terminate();
    },
  };
}
