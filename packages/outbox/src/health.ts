/** What an outcome says about the order service: `success` that it works, also by a 429 or a refusal, `refused` is a 401 or 403, `none` says nothing. */
export type Signal = 'success' | 'failure' | 'refused' | 'none';

/**
 * The circuit breaker that all processes share. While it is `ok`, it remembers what failed in a row; otherwise one
 * process at a time probes with the echo, and then sends one update as a trial.
 */
export interface ServiceHealth {
  readonly state: 'ok' | 'service_unavailable' | 'key_refused';
  /** Orders whose updates failed in a row. */
  readonly failing: readonly string[];
  /** Updates that were refused with 401 or 403 in a row. */
  readonly refused: readonly RefusedUpdate[];
  /** Updates stored as rejected before the key was known to be refused: they are to be queued again. */
  readonly requeue: readonly string[];
  /** Names the trial of one update that an echo which succeeded allows: each has a name of its own. */
  readonly trial?: string | undefined;
  /** How many probes and trials have failed. */
  readonly round: number;
  /** The process that probes or tries. */
  readonly owner?: string;
  /** Unix time in milliseconds. */
  readonly since?: number;
  readonly message?: string;
}

interface RefusedUpdate {
  readonly id: string;
  readonly token: string;
}

/** One outcome, as far as the breaker looks at it. */
export interface Observation extends RefusedUpdate {
  readonly signal: Signal;
  /** The trial that it was, if it was one. */
  readonly trial: string | undefined;
  readonly message: string;
}

/** What becomes of the breaker and of the update observed. */
export interface Observed {
  readonly health: ServiceHealth;
  /** Updates that are queued again instead of rejected. */
  readonly queueAgain: readonly string[];
  /** How long no process probes or tries, in milliseconds; `undefined` leaves it as it is. */
  readonly waitMs?: number;
}

/** Failures in a row, on different orders, that open the breaker. */
const maxFailing = 3;
/** Refusals of the key in a row, on different orders, that open it. */
const maxRefused = 2;
/** Refused updates that are remembered. */
const maxRemembered = 50;
const backoffMs = { first: 1_000, longest: 60_000 };

/** The breaker of a service of which nothing bad is known. */
export const healthy: ServiceHealth = {
  state: 'ok',
  failing: [],
  refused: [],
  requeue: [],
  round: 0,
};

/** Whether observing this would leave the breaker as it is. */
export function isUneventful(health: ServiceHealth, { signal }: Observation): boolean {
  const isClean = health.state === 'ok' && health.failing.length + health.refused.length === 0;
  return signal === 'none' || (signal === 'success' && isClean);
}

/** Takes an outcome into account. */
export function observe(health: ServiceHealth, seen: Observation, now: number): Observed {
  const { signal, id, token, message, trial } = seen;
  const again = signal === 'refused' ? [id] : [];
  if (health.state !== 'ok') {
    // An update that was in flight when the breaker opened proves nothing about now, nor does a trial that was given up.
    if (trial === undefined || trial !== health.trial || signal === 'none')
      return { health, queueAgain: again };
    if (signal === 'success')
      return { health: { ...healthy, requeue: health.requeue }, queueAgain: [], waitMs: 0 };
    const state = signal === 'refused' ? 'key_refused' : 'service_unavailable';
    return { ...backOff({ ...health, state, message }), queueAgain: again };
  }
  if (signal === 'none') return { health, queueAgain: [] };
  if (signal === 'success') return { health: { ...healthy, requeue: health.requeue }, queueAgain: [] };
  if (signal === 'failure') {
    const failing = [...new Set([...health.failing, token])];
    if (failing.length < maxFailing) return { health: { ...health, failing, refused: [] }, queueAgain: [] };
    return { health: opened('service_unavailable', message, now, health.requeue), queueAgain: [], waitMs: 0 };
  }
  const refused = [...health.refused, { id, token }].slice(-maxRemembered);
  if (new Set(refused.map((update) => update.token)).size < maxRefused)
    return { health: { ...health, refused, failing: [] }, queueAgain: [] };
  const ids = refused.map((update) => update.id);
  const requeue = [...health.requeue, ...ids.filter((each) => each !== id)];
  return { health: opened('key_refused', message, now, requeue), queueAgain: [id], waitMs: 0 };
}

function opened(
  state: 'service_unavailable' | 'key_refused',
  message: string,
  since: number,
  requeue: readonly string[],
): ServiceHealth {
  return { ...healthy, state, message, since, requeue };
}

/** What an echo showed. */
export interface Probe {
  readonly signal: Signal;
  readonly message: string;
  /** Whether it was not sent, since a 429 pauses the client. */
  readonly isPaused?: boolean;
}

/** Takes the echo of a probe into account: a success lets its owner try one update. Another process may probe by now. */
export function probed(
  health: ServiceHealth,
  { signal, message }: Probe,
  { owner, trial }: { readonly owner: string; readonly trial: string },
): Observed {
  if (health.state === 'ok' || health.owner !== owner) return { health, queueAgain: [] };
  if (signal === 'success') return { health: { ...health, trial }, queueAgain: [] };
  const state = signal === 'refused' ? 'key_refused' : 'service_unavailable';
  return { ...backOff({ ...health, state, message }), queueAgain: [] };
}

function backOff({ owner: _, trial: _trial, ...health }: ServiceHealth): Omit<Observed, 'queueAgain'> {
  return { health: { ...health, round: health.round + 1 }, waitMs: probeDelay(health.round) };
}

/** How long to wait after a failed probe, in milliseconds. */
export function probeDelay(round: number): number {
  return Math.min(backoffMs.longest, backoffMs.first * 2 ** Math.min(round, 10));
}
