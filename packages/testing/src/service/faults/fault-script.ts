import type { Fault } from './fault.ts';
import { isAt } from './fault-kinds.ts';
import {
  type FaultFilter,
  type FaultRule,
  type NextOptions,
  readFaultRule,
  type SometimesOptions,
} from './fault-rule.ts';
import { createSeededRandom } from './seeded-random.ts';

/** A fault that a request or a connection has met. */
export interface PlayedFault {
  readonly fault: Fault;
  /** The request's, as in the journal; undefined for a connection that was reset on accept. */
  readonly requestId: string | undefined;
}

/**
 * What goes wrong, and when: faults that wait for the next requests, then such as happen sometimes, then always.
 *
 * A request meets at most one fault: the first that fits it. Within each of the three, what was scripted first comes
 * first. A fault or an option that cannot be used is a `TypeError` that says what to write instead.
 */
export interface FaultScript {
  /** What was played, in the order in which requests and connections met it; grows as the service runs. */
  readonly played: readonly PlayedFault[];
  /** What `next` has left to play, in order. */
  readonly waiting: readonly Fault[];
  /** The next request that it fits meets the fault, the one after that the next fault of a list. */
  next(play: Fault | readonly Fault[], options?: NextOptions): void;
  /** Every request meets the fault. */
  always(play: Fault, filter?: FaultFilter): void;
  /** A request meets the fault, or one of a list, with a probability: the same requests the same ones for each seed. */
  sometimes(play: Fault | readonly Fault[], options: SometimesOptions): void;
  /** Does one of these by a plain object, such as one that came as JSON. */
  add(rule: FaultRule): void;
  /** Lets nothing more go wrong; what is under way goes on, and `played` stays. */
  clear(): void;
}

/** The script, and the service's way to read it. */
export interface FaultSource {
  readonly script: FaultScript;
  /** The script as it began, with nothing played. */
  reset(): void;
  /** The fault that a new connection meets. */
  onAccept(): Fault | undefined;
  /** The fault that a request meets; its connection is any object that stands for it. */
  onRequest(facts: RequestFacts, requestId: string, connection: object): Fault | undefined;
}

/** What filters may ask of a request. */
export type RequestFacts = { readonly [Name in keyof FaultFilter]-?: FaultFilter[Name] | undefined };

/** A request as filters see it, or a connection, of which nothing is known yet. */
interface Arrival {
  readonly isConnection: boolean;
  readonly isReuse: boolean;
  readonly facts: RequestFacts;
}

const NO_FACTS: RequestFacts = { token: undefined, operation: undefined, method: undefined };

interface Line {
  readonly fault: Fault;
  readonly filter: FaultFilter;
}

interface Chance {
  readonly faults: readonly Fault[];
  readonly filter: FaultFilter;
  readonly probability: number;
  readonly random: () => number;
}

/** Begins with the given rules, as if each had been added. */
export function createFaultSource(rules: readonly FaultRule[]): FaultSource {
  const queue: Line[] = [];
  const chances: Chance[] = [];
  const standing: Line[] = [];
  const played: PlayedFault[] = [];
  const carriers = new WeakSet<object>();

  const add = (rule: FaultRule) => {
    const { when, faults, filter, times, probability, seed } = readFaultRule(rule);
    if (when === 'always') standing.push(...faults.map((fault) => ({ fault, filter })));
    else if (when === 'next') {
      for (let turn = 0; turn < times; turn += 1) queue.push(...faults.map((fault) => ({ fault, filter })));
    } else {
      // Connections and requests arrive interleaved by chance, so each have dice of their own.
      const ofConnections = faults.filter((fault) => isAt('accept', fault));
      const ofRequests = faults.filter((fault) => !isAt('accept', fault));
      for (const list of [ofConnections, ofRequests]) {
        if (list.length === 0) continue;
        chances.push({ faults: list, filter, probability, random: createSeededRandom(seed) });
      }
    }
  };
  for (const rule of rules) add(rule);
  const clear = () => {
    for (const lines of [queue, chances, standing]) lines.length = 0;
  };

  const draw = (arrival: Arrival): Fault | undefined => {
    const turn = queue.findIndex((line) => fits(line, arrival));
    if (turn !== -1) return queue.splice(turn, 1)[0]?.fault;
    for (const { faults, filter, probability, random } of chances) {
      if (!faults.some((fault) => fits({ fault, filter }, arrival)) || random() >= probability) continue;
      const fault = faults[Math.floor(random() * faults.length)];
      if (fault !== undefined && fits({ fault, filter }, arrival)) return fault;
    }
    return standing.find((line) => fits(line, arrival))?.fault;
  };

  const play = (arrival: Arrival, requestId: string | undefined): Fault | undefined => {
    const fault = draw(arrival);
    if (fault === undefined || isAt('nowhere', fault)) return undefined;
    played.push(Object.freeze({ fault, requestId }));
    return fault;
  };

  return {
    script: {
      played,
      get waiting() {
        return queue.map(({ fault }) => fault);
      },
      next: (faults, options) => add({ when: 'next', play: faults, ...options }),
      always: (fault, filter) => add({ when: 'always', play: fault, ...filter }),
      sometimes: (faults, options) => add({ when: 'sometimes', play: faults, ...options }),
      add,
      clear,
    },
    reset() {
      clear();
      played.length = 0;
      for (const rule of rules) add(rule);
    },
    onAccept: () => play({ isConnection: true, isReuse: false, facts: NO_FACTS }, undefined),
    onRequest(facts, requestId, connection) {
      const isReuse = carriers.has(connection);
      if (!isReuse) carriers.add(connection);
      if (queue.length + chances.length + standing.length === 0) return undefined;
      return play({ isConnection: false, isReuse, facts }, requestId);
    },
  };
}

function fits({ fault, filter }: Line, arrival: Arrival): boolean {
  if (isAt('accept', fault) !== arrival.isConnection) return false;
  if (fault.fault === 'reset_on_reuse' && !arrival.isReuse) return false;
  return matches(filter, arrival.facts);
}

/** Whether a filter lets a request through. */
export function matches({ token, operation, method }: FaultFilter, facts: RequestFacts): boolean {
  return (
    (token === undefined || token === facts.token) &&
    (operation === undefined || operation === facts.operation) &&
    (method === undefined || method === facts.method)
  );
}
