import fc from 'fast-check';
import { type Fate, fates } from './fates.ts';
import type { Place } from './process.ts';

/** When something happens to a process. */
interface Moment {
  readonly places: number;
  readonly at: Place | 'any';
}

/** One step of a run; what it starts goes on beside the next ones. */
export type Step =
  /** A caller enqueues updates of one order, in a transaction of its own or of the outbox. */
  | {
      readonly do: 'enqueue';
      readonly process: number;
      readonly order: number;
      readonly updates: number;
      readonly as: 'one by one' | 'list' | 'in a transaction' | 'rolled back';
    }
  | { readonly do: 'pass'; readonly ms: number }
  /** A process crashes after so many more places of a kind where it waits, and starts again after some time. */
  | ({ readonly do: 'crash'; readonly process: number; readonly ms: number } & Moment)
  /** A process stands still, as one that is stopped or computes. */
  | ({ readonly do: 'pause'; readonly process: number; readonly ms: number } & Moment)
  /** One wait of a process for its database takes long, while all else in it goes on. */
  | ({ readonly do: 'stall'; readonly process: number; readonly ms: number } & Moment)
  /** A process closes its outbox, and starts again after some time. */
  | { readonly do: 'restart'; readonly process: number; readonly graceMs: number; readonly ms: number }
  /** A process loses its connection to the database. */
  | {
      readonly do: 'disconnect';
      readonly process: number;
      readonly at: 'commit' | 'statement';
      readonly when: 'before' | 'after';
    }
  /** Nothing reaches the database. */
  | { readonly do: 'database away'; readonly ms: number }
  /** What becomes of the next requests. */
  | { readonly do: 'fail'; readonly fates: readonly Fate[] }
  /** What becomes of all requests for a while. */
  | { readonly do: 'outage'; readonly fate: Fate; readonly ms: number }
  /** The clocks of all machines are set. */
  | { readonly do: 'jump'; readonly ms: number }
  /** A person decides about what waits for a decision: what is right by the service, or anything. */
  | {
      readonly do: 'decide';
      readonly process: number;
      readonly which: number;
      readonly as: 'the service knows' | 'applied' | 'retry' | 'discard';
    }
  /** A person changes the queue by hand. */
  | { readonly do: 'meddle'; readonly as: 'odd job' | 'lost jobs' }
  /** The service delivers an event, which it may repeat, to the inbox of a process. */
  | { readonly do: 'deliver'; readonly process: number; readonly event: number }
  /** The next handlers throw. */
  | { readonly do: 'handlers fail'; readonly times: number }
  /** A person ends the pause after a 429. */
  | { readonly do: 'resume'; readonly process: number };

/** How a run is set up. */
export interface Setup {
  /** Of what is left to chance: how long things take, retries, ids. */
  readonly seed: number;
  readonly processes: number;
  readonly isListening: boolean;
  /** Updates per second over all processes. */
  readonly perSecond: number | undefined;
  readonly onRejected: 'continue' | 'hold';
  readonly latestWins: boolean;
  /** How long the function takes that returns the key; 0 where the key is text. */
  readonly keyMs: number;
  /** Whether each process has an inbox, too. */
  readonly hasInbox: boolean;
}

/** A run: all that is needed to repeat it. */
export interface Run {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

const process = fc.nat({ max: 2 });
const fate = fc.constantFrom(...(Object.keys(fates) as Fate[]));
const bad = fc.constantFrom<Fate>(
  'rate limited',
  'key refused',
  'failed before',
  'failed after',
  'reset after',
  'silent before',
  'slow',
  'unreachable',
);

const enqueue = fc.record({
  do: fc.constant('enqueue' as const),
  process,
  // Mostly of few orders, whose updates wait for each other; more of them meet the limits.
  order: fc.oneof(
    { weight: 3, arbitrary: fc.nat({ max: 3 }) },
    { weight: 1, arbitrary: fc.nat({ max: 11 }) },
  ),
  updates: fc.integer({ min: 1, max: 4 }),
  as: fc.constantFrom('one by one', 'one by one', 'list', 'in a transaction', 'rolled back'),
}) as fc.Arbitrary<Step>;
const pass = fc
  .oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 100 }) },
    { weight: 3, arbitrary: fc.integer({ min: 100, max: 2_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 2_000, max: 15_000 }) },
  )
  .map((ms): Step => ({ do: 'pass', ms }));
const moment = fc.oneof(
  fc.record({ at: fc.constant('any' as const), places: fc.nat({ max: 60 }) }),
  fc.record({
    at: fc.constantFrom('commit' as const, 'mark' as const, 'fetch' as const, 'response' as const),
    places: fc.nat({ max: 3 }),
  }),
);
// Small ones would be chosen mostly.
const shortMs = fc.noBias(fc.integer({ min: 1, max: 8_000 }));
const longMs = fc.noBias(fc.integer({ min: 1, max: 30_000 }));

/** Steps that every run may take. */
const common = [
  { weight: 8, arbitrary: enqueue },
  { weight: 6, arbitrary: pass },
];
/** Those of which a run leaves some out: what happens often would hide what happens only without it. */
const faults: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 3,
    arbitrary: fc
      .tuple(moment, fc.record({ do: fc.constant('crash' as const), process, ms: shortMs }))
      .map(([at, step]) => ({ ...step, ...at })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(moment, fc.record({ do: fc.constant('pause' as const), process, ms: longMs }))
      .map(([at, step]) => ({ ...step, ...at })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('stall' as const),
      process,
      at: fc.constantFrom('commit' as const, 'mark' as const, 'fetch' as const, 'statement' as const),
      places: fc.nat({ max: 20 }),
      ms: longMs,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restart' as const),
      process,
      graceMs: fc.constantFrom(0, 1_000, 10_000),
      ms: shortMs,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('disconnect' as const),
      process,
      at: fc.constantFrom('commit' as const, 'statement' as const),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('database away' as const), ms: shortMs }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), fate: bad, ms: longMs }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.integer({ min: -20_000, max: 60_000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      process,
      which: fc.nat({ max: 9 }),
      as: fc.constantFrom(
        'the service knows' as const,
        'the service knows' as const,
        'applied' as const,
        'retry' as const,
        'discard' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), process }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), process, event: fc.nat({ max: 15 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('handlers fail' as const),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('meddle' as const),
      as: fc.constantFrom('odd job' as const, 'lost jobs' as const),
    }),
  },
];

const setup: fc.Arbitrary<Setup> = fc.record({
  seed: fc.nat(),
  processes: fc.integer({ min: 1, max: 3 }),
  isListening: fc.boolean(),
  perSecond: fc.constantFrom(undefined, undefined, undefined, 2, 20),
  onRejected: fc.constantFrom('continue' as const, 'hold' as const),
  latestWins: fc.constantFrom(false, false, false, true),
  keyMs: fc.constantFrom(0, 0, 0, 200, 4_000),
  hasInbox: fc.boolean(),
});

/** Runs of up to so many steps. */
export function runs(maxSteps: number): fc.Arbitrary<Run> {
  const steps = fc
    .subarray([...faults], { minLength: 3 })
    .chain((some) =>
      fc.array(fc.oneof(...common, ...some), { minLength: 1, maxLength: maxSteps, size: 'max' }),
    );
  return fc.record({ setup, steps });
}
