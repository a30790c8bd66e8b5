import { chance, elapsedMs, type Host, inHost, travel } from './virtual-time.ts';

/** How long something takes, in milliseconds: mostly nothing, and now and then long. */
function latencyMs(): number {
  const kind = chance();
  if (kind < 0.7) return 0;
  if (kind < 0.96) return Math.ceil(chance() * 5);
  return Math.ceil(chance() * (kind < 0.995 ? 100 : 1_500));
}

/** Where a process waits: for a commit, one that marks an update, orders of the queue, another statement, a response of the service, or anything else. */
export type Place = 'commit' | 'mark' | 'fetch' | 'statement' | 'response' | 'other';

/** A process of a merchant, which may crash or pause wherever it waits for a database, a network or a timer. */
export class Process implements Host {
  readonly name: string;
  /** Rejects when it crashes. */
  readonly died: Promise<never>;
  /** When it last stood still, or lost its database. */
  disturbedAtMs = Number.NEGATIVE_INFINITY;
  /** When a pause began or ended last, or a wait ended that was far too long. */
  stoodStillAtMs = Number.NEGATIVE_INFINITY;
  /** Whether its outbox is being closed, which may abort what is in flight, and whether that is over. */
  isClosing = false;
  isClosed = false;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #die: (reason: Error) => void;
  /** What it goes on with once a pause ends. */
  #waiting: (() => void)[] = [];
  /** What happens to it after so many more places where it waits. */
  #next: { places: number; readonly at: Place | 'any'; readonly happens: () => number }[] = [];

  constructor(name: string) {
    this.name = name;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.died = promise;
    this.#die = reject;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Has something happen to it after so many more places of a kind where it waits; it returns how much longer that takes, in milliseconds. */
  after(places: number, at: Place | 'any', happens: () => number): void {
    this.#next.push({ places, at, happens });
  }

  /** From now on it does nothing, and what it waits for never comes. */
  crash(): void {
    this.#state = 'dead';
    this.#waiting = [];
    this.#die(new Error(`${this.name} crashed.`));
  }

  pause(): void {
    if (!this.isRunning) return;
    this.#standStill(0);
    this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#standStill(0);
    this.#state = 'running';
    for (const work of this.#waiting.splice(0)) this.deliver(work);
  }

  #standStill(ms: number): void {
    this.stoodStillAtMs = elapsedMs() + ms;
    this.disturbedAtMs = this.stoodStillAtMs;
  }

  deliver(work: () => void): void {
    if (this.#state === 'running') work();
    else if (this.#state === 'paused') this.#waiting.push(work);
  }

  /** A place where it waits for the world outside: that takes a while, and it may crash or pause there. */
  async cross(place: Place = 'other'): Promise<void> {
    for (const each of this.#next) if (each.at === 'any' || each.at === place) each.places--;
    const due = this.#next.filter(({ places }) => places < 0);
    this.#next = this.#next.filter(({ places }) => places >= 0);
    const longerMs = Math.max(0, ...due.map(({ happens }) => happens()));
    if (longerMs > 0) this.#standStill(longerMs);
    const ms = latencyMs() + longerMs;
    if (ms > 0) await travel(ms);
    if (this.#state !== 'running')
      await new Promise<void>((resolve) => this.deliver(() => inHost(this, resolve)));
  }
}
