import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is still held after a collection, in bytes. */
export interface HeldMemory {
  readonly heap: number;
  /** What lies beside the heap: those of sockets come and go. */
  readonly buffers: number;
}

/**
 * Collects what nobody holds and measures the rest.
 *
 * @throws Error when Node runs without `--expose-gc`.
 */
export async function heldMemory(): Promise<HeldMemory> {
  if (!globalThis.gc) throw new Error('Memory can be measured only with node --expose-gc.');
  // Buffers are let go of by finalizers, which run after the collection that found them.
  for (let pass = 0; pass < 2; pass++) {
    globalThis.gc();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
}
