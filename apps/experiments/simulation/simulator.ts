import fc from 'fast-check';
import { Database } from './database.ts';
import type { Observer } from './observer.ts';
import { type Run, runs } from './steps.ts';
import { elapsedMs } from './virtual-time.ts';
import { play } from './world.ts';

/** The most steps in a run. Where one breaks a promise, fewer steps are looked for. */
const maxSteps = 300;
/** How many shorter runs are tried. */
const maxShrinks = 100;

/** A run that was played. */
interface Played {
  readonly run: Run;
  readonly observer: Observer;
  readonly elapsedMs: number;
}

/** Plays the run of a seed, again and again the same. */
export class Simulator {
  readonly #database: Database;

  static async open(): Promise<Simulator> {
    return new Simulator(await Database.open());
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  play(seed: number): Promise<Played> {
    const [run] = fc.sample(runs(maxSteps), { seed, numRuns: 1 }) as [Run];
    return this.#play(run);
  }

  async #play(run: Run): Promise<Played> {
    const observer = await play(this.#database, run);
    return { run, observer, elapsedMs: elapsedMs() };
  }

  /** The shortest run found that breaks a promise as that of this seed does. */
  async shrink(seed: number): Promise<Played> {
    let shortest = await this.play(seed);
    const promise = shortest.observer.violations[0]?.promise;
    let tries = 0;
    const property = fc.asyncProperty(runs(maxSteps), async (run) => {
      if (tries++ > maxShrinks) return;
      const played = await this.#play(run);
      if (played.observer.violations[0]?.promise !== promise) return;
      shortest = played;
      throw new Error(promise);
    });
    await fc.check(property, { seed, numRuns: 1 });
    return shortest;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
