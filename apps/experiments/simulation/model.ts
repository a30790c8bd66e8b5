/**
 * The specification of the outbox: the states of an update, what may follow each, and what holds whatever fails. A
 * simulation checks every commit, every request and the end of every run against it.
 */
import type { UpdateState } from '@orders/outbox';

/** What may follow a state in one commit, and why; what is settled stays as it is. */
export const successors: Readonly<Record<UpdateState, Readonly<Partial<Record<UpdateState, string>>>>> = {
  queued: {
    sending: 'A worker marks it, and sends it once the mark is committed.',
    discarded: 'A person gives it up.',
  },
  sending: {
    queued: 'It was certainly not applied, by a 429 or since it never left, and is tried again.',
    applied: 'The service answered so.',
    rejected: 'The service answered so.',
    needs_review: 'It cannot be known: the response was lost, or the worker.',
  },
  needs_review: {
    applied: 'Its response came late after all, or a person found out.',
    rejected: 'Its response came late after all.',
    queued: 'A person sends it again, or its late response shows that it was not applied.',
    discarded: 'A person gives it up.',
  },
  rejected: {
    queued: 'A person sends it again, or the key was refused and it had only met that.',
    applied: 'A person found out.',
    discarded: 'A person gives it up.',
  },
  applied: {},
  discarded: {},
};

/** What holds in every run, by name. */
export const promises = {
  kept: 'An accepted update is there until it is settled; one that was rolled back never was.',
  marked: 'When a request leaves, the mark of its update is committed.',
  once: 'A request leaves again only where all before it were certainly not applied, or a person decided so.',
  in_sequence:
    'A request leaves only when all earlier updates of its order are settled, and no later one was applied, unless a person said otherwise.',
  one_at_a_time:
    'No request of an order leaves while another one is under way, unless a person decided about that.',
  spared:
    'Once three orders in a row met failures, or two a refused key, an update leaves only after an echo, and alone until one gets another outcome.',
  waits:
    'Once a 429 is stored, nothing leaves before its Retry-After is over, unless a person ends the pause.',
  paced: 'With a rate, no 3 s have more departures than 3.5 s and 2 updates: slots are taken 0.5 s ahead.',
  heard:
    'A response that a process received settles its update, even in review, unless a person decided before.',
  successor: 'States follow each other as above.',
  trusted:
    'An update is taken only from a process that crashed, stood still or lost its database since it marked it, or just before.',
  true: 'An update is applied in the outbox only where the service applied it, and rejected only where it did not.',
  live: 'Once faults end, it never stands still for 45 s without a word about what holds each update that is due, and within a quarter of an hour, plus a reading of the key for each, all are settled or wait for a person.',
  closed:
    'An outbox closes at most 11 s after its grace, whatever its database does, and writes nothing afterwards.',
  effects:
    'An event whose delivery got 204 takes effect once, and before those of its order that were delivered after that; none takes effect twice, and what its handler enqueues commits with it.',
  quiet: 'No promise of a process is rejected unheard, and an outbox closes without an error.',
} as const;

/** The name of a promise. */
export type PromiseName = keyof typeof promises;
