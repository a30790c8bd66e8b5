import { checkOptions } from '@orders/schema/check-options';
import type { OutboxOptions } from './outbox-options.ts';

/** Every option there is; the type keeps the list complete. */
const names: Readonly<Record<keyof OutboxOptions, true>> = {
  client: true,
  store: true,
  schema: true,
  onUnknown: true,
  onRejected: true,
  latestWins: true,
  concurrency: true,
  localConcurrency: true,
  rate: true,
  maxRetryDelayMs: true,
  keepSettledMs: true,
  onSettled: true,
  warn: true,
};

/** Checks options before anything is opened. @throws TypeError that says what to write instead. */
export function checkOutboxOptions(options: OutboxOptions): void {
  if (!isObject(options)) throw new TypeError('createOutbox: give { client, store }.');
  checkOptions('createOutbox', options, Object.keys(names));
  const { client, store } = options;
  if (typeof client?.safeUpdateOrder !== 'function' || typeof client.prepareUpdateOrder !== 'function') {
    throw new TypeError('client: give what createOrdersClient of @orders/client makes.');
  }
  if (typeof store?.transaction !== 'function') {
    throw new TypeError('store: give await pgliteStore(…) or postgresStore(…).');
  }
  const { concurrency, localConcurrency, maxRetryDelayMs, keepSettledMs, rate, warn } = options;
  const { latestWins, onUnknown, onRejected, onSettled } = options;
  checkCount('concurrency', concurrency);
  checkCount('localConcurrency', localConcurrency);
  if (rate !== undefined && !isObject(rate)) throw new TypeError('rate: write { perSecond: 50 }.');
  checkOptions('createOutbox: rate', rate, ['perSecond', 'burst']);
  checkCount('rate.burst', rate?.burst);
  if (rate && !(rate.perSecond > 0 && Number.isFinite(rate.perSecond))) {
    throw new TypeError('rate.perSecond: write a number above 0.');
  }
  if (maxRetryDelayMs !== undefined && !(maxRetryDelayMs >= 0 && Number.isFinite(maxRetryDelayMs))) {
    throw new TypeError('maxRetryDelayMs: write a number of milliseconds from 0 on.');
  }
  if (keepSettledMs !== undefined && !(keepSettledMs >= 0)) {
    throw new TypeError(
      'keepSettledMs: write a number of milliseconds from 0 on; Infinity keeps everything.',
    );
  }
  if (latestWins !== undefined && typeof latestWins !== 'boolean') {
    throw new TypeError('latestWins: write true or false.');
  }
  if (onUnknown !== undefined && typeof onUnknown !== 'function' && !['park', 'resend'].includes(onUnknown)) {
    throw new TypeError("onUnknown: write 'park', 'resend', or a function that chooses.");
  }
  if (onRejected !== undefined && !['continue', 'hold'].includes(onRejected)) {
    throw new TypeError("onRejected: write 'continue' or 'hold'.");
  }
  if (onSettled !== undefined && typeof onSettled !== 'function') {
    throw new TypeError('onSettled: pass a function that takes what became of an update.');
  }
  if (warn !== undefined && typeof warn !== 'function') {
    throw new TypeError('warn: pass a function that takes a message.');
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Checks a number of things, where it is given. @throws TypeError */
export function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= 100_000)) return;
  throw new TypeError(`${name}: write a whole number from 1 to 100,000.`);
}
