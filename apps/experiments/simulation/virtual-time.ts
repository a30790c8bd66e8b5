/**
 * Time and chance of a simulation: `Date`, `performance`, timers and random numbers of this process, and of the PGlite in it,
 * come from here. Import it before what uses them. Nothing waits: time goes on to the next timer once nothing is left to do.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import FakeTimers, { type FakeMethod } from '@sinonjs/fake-timers';
import { seededRandom } from '../chaos/random.ts';

const realImmediate = setImmediate;
const realNow = performance.now.bind(performance);
const faked: FakeMethod[] = [
  'Date',
  'performance',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
];

/** When every run begins. */
const epochMs = Date.UTC(2030, 0, 1);

/** What may stop: work that begins within `inHost` goes on only as it lets it. */
export interface Host {
  /** Runs it now, later or never. */
  deliver(work: () => void): void;
}

const hosts = new AsyncLocalStorage<Host | undefined>();

/** Runs a function whose timers, and those of all it causes, belong to a host; to the world, without one. */
export function inHost<T>(host: Host | undefined, run: () => T): T {
  return hosts.run(host, run);
}

/** Whose work is running. */
export function currentHost(): Host | undefined {
  return hosts.getStore();
}

const clock = FakeTimers.install({ now: epochMs, toFake: faked });
/** Left to chance in earnest until the first run begins. */
let random = Math.random;
/** Apart from the other, since PGlite reads ahead. */
let randomByte = random;
let refills = 0;

/** A number from 0 to 1. */
export function chance(): number {
  return random();
}

/** Begins a run: its time and its random numbers are the same for each seed. */
export function beginTime(seed: number): void {
  clock.reset();
  random = seededRandom(seed);
  randomByte = seededRandom(seed + 1);
}

/** How often random bytes were made: PGlite makes a thousand at once. */
export function randomRefills(): number {
  return refills;
}

/** Sets the clock of all hosts and of the database; timers and monotonic clocks go on. */
export function jumpClock(ms: number): void {
  clock.setSystemTime(Date.now() + ms);
}

/** The time since the run began, in milliseconds; no jump of the clock changes it. */
export function elapsedMs(): number {
  return performance.now();
}

/** The seconds of real time since the process began. */
export function realSeconds(): number {
  return realNow() / 1_000;
}

/** Lets so much time pass, or less where `until` is true before. */
export async function pass(ms: number, until: () => boolean = () => false): Promise<void> {
  let isOver = false;
  const end = inHost(undefined, () =>
    setTimeout(() => {
      isOver = true;
    }, ms),
  );
  await settle();
  let [at, turns] = [performance.now(), 0];
  while (!isOver && !until()) {
    clock.next();
    await settle();
    turns++;
    if (performance.now() !== at) [at, turns] = [performance.now(), 0];
    else if (turns > 100_000) throw new Error('Time stands still: something goes on without waiting.');
  }
  clearTimeout(end);
}

/** Lets as much time pass as this needs. */
export async function drive<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  await pass(3_600_000, () => isOver);
  if (!isOver) throw new Error('It was not done within an hour.');
  return work;
}

/** Lets everything run that needs no time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** Waits for so long, whatever becomes of the host that asks. */
export function travel(ms: number): Promise<void> {
  return new Promise((resolve) => inHost(undefined, () => setTimeout(resolve, ms)));
}

attribute('setTimeout');
attribute('setInterval');
attribute('setImmediate');

/** Makes timers those of the host that sets them. */
function attribute(name: 'setTimeout' | 'setInterval' | 'setImmediate'): void {
  const set = globalThis[name] as (run: () => void, ms?: number) => unknown;
  const setFor = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): unknown => {
    const host = hosts.getStore();
    const call = (): void => run(...values);
    // As Node does it, or a wait of less than a millisecond would take no time.
    const waitMs = name === 'setImmediate' ? 0 : Math.max(1, Math.trunc(ms));
    return set(host ? () => host.deliver(() => hosts.run(host, call)) : call, waitMs);
  };
  Object.assign(globalThis, { [name]: setFor });
}

// Those of the library would belong to no host. What is imported by name is made anew by `syncBuiltinESMExports`.
Object.assign(timersPromises, {
  setTimeout: <T>(
    ms?: number,
    value?: T,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(signal?.reason);
      if (signal?.aborted) return fail();
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', fail);
        resolve(value);
      }, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        fail();
      });
    }),
  setImmediate: <T>(value?: T): Promise<T | undefined> =>
    new Promise((resolve) => setImmediate(() => resolve(value))),
});
Math.random = chance;
const fill = <T extends NodeJS.ArrayBufferView>(bytes: T): T => {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < view.length; index++) view[index] = randomByte() * 256;
  refills++;
  return bytes;
};
const uuid = (): string => {
  const hex = Buffer.from(fill(new Uint8Array(16))).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};
Object.assign(crypto, { randomFillSync: fill, randomUUID: uuid });
Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: fill });
Object.defineProperty(globalThis.crypto, 'randomUUID', { value: uuid });
syncBuiltinESMExports();
