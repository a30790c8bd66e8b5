import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { postOnce } from './post-once.ts';
import type { WebhookAttempt } from './webhook-delivery.ts';
import type { WebhookSettings } from './webhook-options.ts';

export interface DeliveryContext {
  readonly settings: WebhookSettings;
  readonly lookup: LookupFunction;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Posts the same bytes until a 2xx answers, the attempts are used up, or nothing more can come of it. */
export async function deliverWebhook(
  url: URL,
  body: string,
  { settings, lookup, now, signal }: DeliveryContext,
): Promise<readonly WebhookAttempt[]> {
  const { headers, timeoutMs, retryDelayMs, maxAttempts } = settings;
  const bytes = Buffer.from(body);
  const attempts: WebhookAttempt[] = [];
  for (;;) {
    const at = now();
    const result = await postOnce({ url, headers, body: bytes, lookup, timeoutMs, signal });
    const attempt: WebhookAttempt = { at, durationMs: now() - at, ...result };
    attempts.push(attempt);
    const isOver = isDelivered(attempt) || attempt.error === 'address_refused' || signal.aborted;
    if (isOver || attempts.length >= maxAttempts) return attempts;
    await wait(retryDelay(retryDelayMs, attempts.length), signal);
    if (signal.aborted) return attempts;
  }
}

export function isDelivered({ status = 0 }: Pick<WebhookAttempt, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** A longer timeout would fire at once. */
const LARGEST_TIMEOUT = 2_147_483_647;

/** The wait after so many attempts, in milliseconds: the first delay, doubled each time. */
export function retryDelay(firstMs: number, attemptsMade: number): number {
  return Math.min(LARGEST_TIMEOUT, firstMs * 2 ** (attemptsMade - 1));
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  // It ends early when the service closes, which the caller looks at.
  await delay(ms, undefined, { signal }).catch(() => {});
}
