import type { Fault } from './fault.ts';
import { checkFields, isRecord, oneOf, probability, required, text, whole } from './field-check.ts';
import { readFault } from './read-fault.ts';

/** Which requests a rule is for; a field that is left out lets every request through. */
export interface FaultFilter {
  /** The order token that the path names. */
  readonly token?: string;
  /** The operation that the path names, whatever the method. */
  readonly operation?: 'update' | 'echo';
  /** The method as sent, such as `PATCH`. */
  readonly method?: string;
}

/** How often a list of faults is played by `next`. */
export interface NextOptions extends FaultFilter {
  /** How often the whole list is played, from 1 to 10_000. @default 1 */
  readonly times?: number;
}

/** How likely a fault is by `sometimes`. */
export interface SometimesOptions extends FaultFilter {
  /** From 0 to 1: for each request, or for each connection where the fault is `reset_on_accept`. */
  readonly probability: number;
  /** From 0 to 4_294_967_295; the same seed and the same requests meet the same faults. @default 1 */
  readonly seed?: number;
}

/** A line of the script as a plain object of JSON: what `next`, `always` and `sometimes` each write. */
export type FaultRule =
  | ({ readonly when: 'next'; readonly play: Fault | readonly Fault[] } & NextOptions)
  | ({ readonly when: 'always'; readonly play: Fault } & FaultFilter)
  | ({ readonly when: 'sometimes'; readonly play: Fault | readonly Fault[] } & SometimesOptions);

/** A rule with everything filled in. */
export interface PlainRule {
  readonly when: FaultRule['when'];
  readonly faults: readonly Fault[];
  readonly filter: FaultFilter;
  readonly times: number;
  readonly probability: number;
  readonly seed: number;
}

const FILTER = { token: text, operation: oneOf('update', 'echo'), method: text };

const OPTIONS = {
  next: { ...FILTER, times: whole(1, 10_000) },
  always: FILTER,
  sometimes: { ...FILTER, probability: required(probability), seed: whole(0, 2 ** 32 - 1) },
};

/** Throws a `TypeError` that says what to write instead. */
export function readFaultRule(rule: FaultRule): PlainRule {
  if (!isRecord(rule) || typeof rule.when !== 'string' || !Object.hasOwn(OPTIONS, rule.when)) {
    throw new TypeError('A rule is an object whose field "when" is "next", "always" or "sometimes".');
  }
  const { when, play, ...options } = rule;
  checkFields(when, options, OPTIONS[when]);
  const faults = (Array.isArray(play) ? play : [play]).map(readFault);
  if (faults.length === 0) throw new TypeError(`${when}: give at least one fault.`);
  if (when === 'always' && faults.length > 1) throw new TypeError('always: give one fault.');
  const {
    times = 1,
    probability = 1,
    seed = 1,
    ...filter
  }: Partial<NextOptions & SometimesOptions> = options;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (isFiltered && faults.some(({ fault }) => fault === 'reset_on_accept')) {
    throw new TypeError(
      'reset_on_accept takes no filter, since there is no request yet; reset_before_body takes one.',
    );
  }
  return { when, faults, filter, times, probability, seed };
}
