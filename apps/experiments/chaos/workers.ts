import { setTimeout as delay } from 'node:timers/promises';
import type { Command, WorkerSettings } from './protocol.ts';
import { WorkerProcess } from './worker-process.ts';

/** How long a worker may take for what another can do as well, in milliseconds: it may be stopped. */
const commandMs = 3_000;

interface WorkersOptions {
  /** What the process that starts as the nth works with, in its slot. */
  readonly settings: (slot: number, started: number) => WorkerSettings;
  readonly random: () => number;
}

/** A number of worker processes: one that is killed is replaced. */
export class Workers {
  readonly #settings: WorkersOptions['settings'];
  readonly #random: () => number;
  readonly #count: number;
  /** The processes that run, by their slots. */
  readonly #running = new Map<WorkerProcess, number>();
  readonly #starting = new Set<Promise<unknown>>();
  #started = 0;
  #crashes = 0;
  #isOver = false;

  constructor(count: number, { settings, random }: WorkersOptions) {
    this.#settings = settings;
    this.#random = random;
    this.#count = count;
    for (let slot = 0; slot < count; slot++) this.#start(slot);
  }

  /** How many exited that were not killed. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Runs a command in any worker, and in another where that fails or takes too long. */
  async run(command: Command): Promise<unknown> {
    for (;;) {
      try {
        const result = this.runOnce(command);
        result.catch(() => {});
        return await Promise.race([result, rejectIn(commandMs)]);
      } catch (error) {
        if (this.#isOver) throw error;
        await delay(50);
      }
    }
  }

  /** Runs a command in any worker, in no other one, and however long it takes. */
  async runOnce(command: Command): Promise<unknown> {
    const worker = this.#pick();
    if (!worker) throw new Error('No worker runs.');
    return worker.run(command);
  }

  /** Kills a worker and starts another. Resolves with whether there was one. */
  async kill(): Promise<boolean> {
    const worker = this.#pickFew();
    if (!worker) return false;
    const slot = this.#running.get(worker) ?? 0;
    this.#running.delete(worker);
    await worker.kill();
    this.#start(slot);
    return true;
  }

  /**
   * Stops a worker for so long, in milliseconds, or until the signal, and kills it where all is over by then. Resolves with
   * whether there was one.
   */
  async stall(ms: number, signal: AbortSignal): Promise<boolean> {
    const worker = this.#pickFew();
    if (!worker) return false;
    const slot = this.#running.get(worker) ?? 0;
    this.#running.delete(worker);
    worker.stall(true);
    await delay(ms, undefined, { signal }).catch(() => {});
    worker.stall(false);
    if (this.#isOver) await worker.kill();
    else this.#running.set(worker, slot);
    return true;
  }

  /** Kills all but those that are stopped now: `stall` does that. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#running.keys()].map((worker) => worker.kill()));
  }

  #pick(): WorkerProcess | undefined {
    const running = [...this.#running.keys()];
    return running[Math.floor(this.#random() * running.length)];
  }

  /** One to disturb, unless all others start just now: then nothing would ever happen. */
  #pickFew(): WorkerProcess | undefined {
    return this.#running.size < Math.min(2, this.#count) ? undefined : this.#pick();
  }

  #start(slot: number): void {
    const started: Promise<unknown> = this.#begin(slot).finally(() => this.#starting.delete(started));
    this.#starting.add(started);
  }

  async #begin(slot: number): Promise<void> {
    while (!this.#isOver) {
      const worker = new WorkerProcess(this.#settings(slot, this.#started++));
      try {
        await worker.ready;
        if (this.#isOver) return await worker.kill();
        this.#running.set(worker, slot);
        void worker.exited.then(() => this.#replace(worker, slot));
        return;
      } catch {
        // The database may be down.
        await delay(200);
      }
    }
  }

  #replace(worker: WorkerProcess, slot: number): void {
    if (this.#isOver || !this.#running.delete(worker)) return;
    this.#crashes++;
    this.#start(slot);
  }
}

async function rejectIn(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new Error(`The worker took longer than ${ms} ms.`);
}
