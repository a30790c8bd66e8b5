import { setTimeout as delay } from 'node:timers/promises';
import { downMs } from './switchboard-faults.ts';

/** A service that is out of reach. */
export interface Outage {
  /** Resolves once it can be reached again; to be called when the faults that keep it away are cleared. */
  end(): Promise<void>;
}

export interface OutageOptions {
  /** Base URL of an order service whose script has the faults of `down`. */
  readonly url: string;
  /** Ends the outage without waiting for the service, when all ends. */
  readonly signal: AbortSignal;
}

/** How often a service that is due is asked whether it is back, in milliseconds: an update may slip in first. */
const pollMs = 2;
/** How long before it is due that begins, in milliseconds: the news of a restart comes later than the restart. */
const leadMs = 50;
/** How long the end of an outage is waited for, in milliseconds. */
const backMs = 5000;

/**
 * Keeps an order service away until the outage is ended: whoever connects is refused, and what is on its way is cut off.
 * A restart is the one fault that refuses connections, and it ends by itself, so it is asked for again and again.
 * Resolves when the service is away.
 */
export async function beginOutage({ url, signal }: OutageOptions): Promise<Outage> {
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  await knock(url);
  const keeping = keepAway(url, over);
  return {
    async end() {
      ending.abort();
      await keeping;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(backMs)]);
      while (!patience.aborted && (await knock(url)) !== 'answered') await pause(pollMs, patience);
    },
  };
}

async function keepAway(url: string, over: AbortSignal): Promise<void> {
  let waitMs = downMs - leadMs;
  while (!over.aborted) {
    await pause(waitMs, over);
    if (over.aborted) return;
    waitMs = (await knock(url)) === 'cut' ? downMs - leadMs : pollMs;
  }
}

/** OPTIONS asks for no key and changes nothing. */
async function knock(url: string): Promise<'answered' | 'cut' | 'refused'> {
  try {
    await fetch(url, { method: 'OPTIONS' });
    return 'answered';
  } catch (error) {
    const { code } = Object((error as Error).cause);
    return code === 'ECONNREFUSED' ? 'refused' : 'cut';
  }
}

/** Does not keep the process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}
