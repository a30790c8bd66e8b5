import { METHODS } from 'node:http';
import { checkOptions } from '@orders/schema/check-options';
import { z } from 'zod';
import { type Fault, parseWith, readFault, type Scenario } from './fault.ts';
import { createHistory, type History } from './history.ts';

/** Of a request that can arrive: a filter that none can match would be silent. */
export const FilterSchema = z.strictObject({
  token: z.string().min(1).optional(),
  operation: z.enum(['update', 'echo']).optional(),
  method: z
    .string()
    .refine((name) => METHODS.includes(name), { error: ({ input }) => adviseMethod(String(input)) })
    .optional(),
});
function adviseMethod(given: string): string {
  const method = given.toUpperCase();
  return METHODS.includes(method) ? `write "${method}"` : 'no request has it';
}

const optionSchemas = {
  next: FilterSchema.extend({
    times: z.int().min(1).max(10_000).optional(),
  }),
  always: FilterSchema,
  sometimes: FilterSchema.extend({
    probability: z.number().min(0).max(1),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional(),
  }),
};

/**
 * Which requests a rule is for; a field that is left out matches all: the order `token` that the path names, the
 * `operation` that it names (`update` or `echo`, whatever the method), the `method` as sent.
 */
export type FaultFilter = z.infer<typeof FilterSchema>;

/** A filter, and `times`: how often `next` plays its list, 1 to 10,000. @default 1 */
export type NextOptions = z.infer<typeof optionSchemas.next>;

/**
 * A filter, the `probability` (0 to 1) of a fault for each request (for each connection with `reset_on_accept`), and the
 * `seed` (default 1): the same seed and the same requests meet the same faults.
 */
export type SometimesOptions = z.infer<typeof optionSchemas.sometimes>;

/** A fault, or the name of one in `scenarios`. */
export type FaultOrScenario = Fault | Scenario;

/** What `next`, `always` and `sometimes` take, as plain JSON. */
export type FaultRule =
  | ({ readonly when: 'next'; readonly fault: FaultOrScenario | readonly FaultOrScenario[] } & NextOptions)
  | ({ readonly when: 'always'; readonly fault: FaultOrScenario } & FaultFilter)
  | ({
      readonly when: 'sometimes';
      readonly fault: FaultOrScenario | readonly FaultOrScenario[];
    } & SometimesOptions);

/** A fault that a request or a connection has met. */
export interface PlayedFault {
  readonly fault: Fault;
  /** As in the journal; undefined for a connection. */
  readonly requestId: string | undefined;
}

/**
 * The faults to come: those of `next` first, then `sometimes`, then `always`; within each, in the order given. A request
 * meets at most one. Faults and options that cannot be used are a `TypeError` that says what to write instead.
 */
export interface FaultScript {
  /** What requests and connections have met, in order; grows as the service runs. */
  readonly played: readonly PlayedFault[];
  /** What is left of `next`, in order. */
  readonly waiting: readonly Fault[];
  /** The next matching request meets the fault; with a list, the one after that the next fault of it. */
  next(fault: FaultOrScenario | readonly FaultOrScenario[], options?: NextOptions): void;
  /** Every matching request meets the fault. */
  always(fault: FaultOrScenario, filter?: FaultFilter): void;
  /** A matching request meets the fault, or one of a list, with a probability. */
  sometimes(fault: FaultOrScenario | readonly FaultOrScenario[], options: SometimesOptions): void;
  /** Adds a rule given as plain JSON. */
  add(rule: FaultRule): void;
  /** Removes all faults to come; `played` stays. */
  clear(): void;
}

/** A rule that was checked. */
interface CheckedRule {
  readonly when: FaultRule['when'];
  readonly faults: readonly Fault[];
  readonly filter: FaultFilter;
  readonly times: number;
  readonly probability: number;
  readonly seed: number;
}

/** Throws a `TypeError` that says what to write instead. */
export function readFaultRule(rule: unknown): CheckedRule {
  const { when, fault, ...options } = Object(rule);
  if (typeof when !== 'string' || !Object.hasOwn(optionSchemas, when))
    throw new TypeError('A rule is an object whose "when" is "next", "always" or "sometimes".');
  const schema = optionSchemas[when as FaultRule['when']];
  checkOptions(when, options, Object.keys(schema.shape));
  const checked: NextOptions & Partial<SometimesOptions> = parseWith(schema, options, when);
  const { times = 1, probability = 1, seed = 1, ...filter } = checked;
  const faults = (Array.isArray(fault) ? fault : [fault]).map(readFault);
  if (faults.length === 0) throw new TypeError(`${when}: give at least one fault.`);
  if (when === 'always' && faults.length > 1) throw new TypeError('always: give one fault.');
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const has = (type: Fault['type']) => faults.some((one) => one.type === type);
  if (isFiltered && has('reset_on_accept'))
    throw new TypeError('reset_on_accept takes no filter: there is no request yet. Use reset_before_body.');
  if (has('connection_refused') && (isFiltered || times * faults.length > 1 || when === 'sometimes'))
    throw new TypeError(
      'down (connection_refused) takes no filter, and is given alone and once to next or always.',
    );
  if (when === 'always' && faults.some((fault) => fault.type === 'connection_refused' && fault.downMs))
    throw new TypeError(
      'always: down (connection_refused) lasts until clear(); leave out downMs, or use next.',
    );
  return { when: when as FaultRule['when'], faults, filter, times, probability, seed };
}

/** A request as filters see it. */
export interface RequestFacts {
  readonly token: string | undefined;
  readonly operation: FaultFilter['operation'];
  readonly method: string | undefined;
}

/** Whether a filter matches a request. */
export function matches({ token, operation, method }: FaultFilter, facts: RequestFacts): boolean {
  return (
    (token === undefined || token === facts.token) &&
    (operation === undefined || operation === facts.operation) &&
    (method === undefined || method === facts.method)
  );
}

/** The script, and how the service reads it. */
export interface FaultSource {
  readonly script: FaultScript;
  readonly played: History<PlayedFault>;
  /** Back to the rules of the start, with nothing played. */
  reset(): void;
  /** The fault that a new connection meets. */
  onAccept(): Fault | undefined;
  /** The fault that a request meets; its connection is any object that stands for it. */
  onRequest(facts: RequestFacts, requestId: string, connection: object): Fault | undefined;
}

/** Stops and starts to listen. */
export interface Availability {
  /** Nothing listens for so many milliseconds, or until `goUp`. */
  goDown(ms: number): void;
  goUp(): void;
}

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

/** `reset` adds the given rules, which are checked at once. */
export function createFaultSource(
  rules: readonly FaultRule[],
  availability: Availability,
  historyLimit: number,
): FaultSource {
  if (!Array.isArray(rules)) throw new TypeError('faults: give a list of rules.');
  const queue: Line[] = [];
  const chances: Chance[] = [];
  const standing: Line[] = [];
  const played = createHistory<PlayedFault>(historyLimit);
  const usedConnections = new WeakSet<object>();

  const add = (rule: FaultRule): void => {
    const { when, faults, filter, times, probability, seed } = readFaultRule(rule);
    const lines = faults.map((fault) => ({ fault, filter }));
    const [first] = faults;
    if (first?.type === 'connection_refused') {
      availability.goDown(when === 'always' ? Number.POSITIVE_INFINITY : (first.downMs ?? 3_000));
      played.add(Object.freeze({ fault: first, requestId: undefined }));
    } else if (when === 'always') standing.push(...lines);
    else if (when === 'next') {
      for (let turn = 0; turn < times; turn += 1) queue.push(...lines);
    } else {
      // Connections and requests interleave by chance, so each have a sequence of their own.
      for (const list of [faults.filter(isOfConnection), faults.filter((fault) => !isOfConnection(fault))])
        if (list.length > 0)
          chances.push({ faults: list, filter, probability, random: createSeededRandom(seed) });
    }
  };
  for (const [index, rule] of rules.entries()) {
    try {
      readFaultRule(rule);
    } catch (error) {
      throw new TypeError(`faults[${index}]: ${(error as Error).message}`, { cause: error });
    }
  }
  const clear = (): void => {
    for (const lines of [queue, chances, standing]) lines.length = 0;
    availability.goUp();
  };

  const draw = (fits: (line: Line) => boolean): Fault | undefined => {
    const turn = queue.findIndex(fits);
    if (turn !== -1) return queue.splice(turn, 1)[0]?.fault;
    for (const { faults, filter, probability, random } of chances) {
      if (!faults.some((fault) => fits({ fault, filter })) || random() >= probability) continue;
      const fault = faults[Math.floor(random() * faults.length)];
      if (fault !== undefined && fits({ fault, filter })) return fault;
    }
    return standing.find(fits)?.fault;
  };
  const play = (fits: (line: Line) => boolean, requestId: string | undefined): Fault | undefined => {
    if (queue.length + chances.length + standing.length === 0) return undefined;
    const fault = draw(fits);
    if (fault === undefined || fault.type === 'none') return undefined;
    played.add(Object.freeze({ fault, requestId }));
    return fault;
  };

  return {
    played,
    script: {
      played: played.entries,
      get waiting() {
        return queue.map(({ fault }) => fault);
      },
      next: (fault, options) => add({ ...options, when: 'next', fault }),
      always: (fault, filter) => add({ ...filter, when: 'always', fault }),
      sometimes: (fault, options) => add({ ...options, when: 'sometimes', fault }),
      add,
      clear,
    },
    reset() {
      clear();
      played.clear();
      for (const rule of rules) add(rule);
    },
    onAccept: () => play(({ fault }) => isOfConnection(fault), undefined),
    onRequest(facts, requestId, connection) {
      const isReuse = usedConnections.has(connection);
      usedConnections.add(connection);
      const fits = ({ fault, filter }: Line) =>
        !isOfConnection(fault) && (fault.type !== 'reset_on_reuse' || isReuse) && matches(filter, facts);
      return play(fits, requestId);
    },
  };
}

function isOfConnection({ type }: Fault): boolean {
  return type === 'reset_on_accept';
}

/** Numbers from 0 to below 1, the same for the same seed on every machine (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
