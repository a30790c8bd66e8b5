import { tracingChannel } from 'node:diagnostics_channel';
import { SpanKind } from '@opentelemetry/api';
import type { OrdersClient, OrdersErrorCode, UpdateOrderResult } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { describeError, kindOfError } from './errors.ts';
import type { Signal } from './health.ts';
import type { Authorization, UnknownUpdate } from './options.ts';
import type { Pace } from './pace.ts';
import {
  type Failure,
  failureOf,
  type Settlement,
  type SettleOptions,
  settleExpired,
  settleResult,
  settleUnknown,
  settleUnsent,
  type UnknownChoice,
} from './settlement.ts';
import { withLinkedSpan } from './telemetry.ts';
import { decode } from './updates.ts';

/** The first open update of an order, marked as being sent. */
export interface Head {
  readonly id: string;
  readonly token: string;
  /** Who marked it; null in a row that was changed by hand. */
  readonly claim: string | null;
  /** How often it was tried, this attempt among them. */
  readonly attempts: number;
  readonly failures: number;
  readonly body: unknown;
  readonly traceparent: string | null;
}

/** A moment by both clocks: the monotonic one may stop while a machine sleeps, the other may be set. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** What sending needs. */
export interface SendParts extends SettleOptions {
  readonly client: Pick<OrdersClient, 'safeUpdateOrder'> & Partial<Pick<OrdersClient, 'pausedUntil'>>;
  readonly onUnknown: UnknownChoice | ((update: UnknownUpdate) => UnknownChoice | Promise<UnknownChoice>);
  readonly warn: (message: string) => void;
  /** Aborts the calls in flight. */
  readonly ending: AbortSignal;
}

/** What subscribers of the tracing channel `orders.outbox.send` receive. */
export interface OutboxSendTrace {
  readonly id: string;
  readonly attempt: number;
  /** The trace context in which the update was enqueued, to link to. */
  readonly traceparent?: string;
}

const channel = tracingChannel<unknown, OutboxSendTrace>('orders.outbox.send');

/** How old a claim may be when the first byte leaves, in milliseconds: no other worker takes the update over before that. */
export const maxClaimAgeMs = 3_000;
/** How long `onUnknown` may take, in milliseconds. */
const chooseWithinMs = 60_000;

/** The present moment. */
export function currentMoment(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** How long ago a moment was, in milliseconds, by the clock that counts more. */
export function ageOf({ monotonicMs, wallMs }: Moment): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}

/** Sends a head that was marked at a moment, in its slot, and decides what becomes of it. It never rejects. */
export async function sendHead(
  parts: SendParts,
  head: Head,
  {
    markedAt,
    slotAt,
    pace,
    credentials,
  }: {
    readonly markedAt: Moment;
    /** When it should leave, by the clock of `performance.now()`, and what lets it, where there is a rate. */
    readonly slotAt: number;
    readonly pace: Pace | undefined;
    /** Those that were read for this turn, so that nothing waits for them now. */
    readonly credentials: Authorization | undefined;
  },
): Promise<Settlement> {
  const { client, ending, warn } = parts;
  const update = decode(head.body);
  if (typeof update !== 'object' || update === null)
    return settleUnknown('review', unreadable, { ...parts, failures: 0, signal: 'none' });
  let unknown: { readonly failure: Failure; readonly signal: Signal };
  try {
    const leftMs = (): number => maxClaimAgeMs - ageOf(markedAt);
    let slot: number | undefined = slotAt;
    let result: UpdateOrderResult;
    let isExpired: boolean;
    let isTooSoon: boolean;
    do {
      if (pace && !(await pace.wait(slot, leftMs, ending))) return settleUnsent(head.failures);
      // What could not leave in its slot takes another.
      slot = undefined;
      isExpired = false;
      isTooSoon = false;
      const call = async () =>
        client.safeUpdateOrder(head.token, update as OrderUpdate, {
          signal: ending,
          ...(credentials && { credentials }),
          retry: { maxAttempts: 1 },
          beforeSend: () => {
            isExpired = leftMs() < 0;
            if (isExpired) throw new Error('The claim is too old.');
            isTooSoon = pace?.leave() === false;
            if (isTooSoon) throw new Error('Another update has just left.');
          },
        });
      result = await withSpan(head, () => (channel.hasSubscribers ? traced(head, call) : call()));
    } while (isTooSoon && !result.ok && result.error.outcome === 'not_sent' && !ending.aborted);
    if (isExpired && !result.ok && result.error.outcome === 'not_sent')
      return settleExpired(head.failures, parts);
    const { code, outcome } = result.error ?? {};
    const isOwn = code === 'aborted' && (ending.aborted || isTooSoon);
    if (isOwn && (outcome === 'not_sent' || outcome === 'rejected')) return settleUnsent(head.failures);
    const pausedMs = Number(client.pausedUntil ?? 0) - Date.now();
    const settlement = settleResult(result, head.failures, { ...parts, pausedMs });
    // What was applied always has one.
    if (settlement || result.ok) return settlement as Settlement;
    const signal = result.error.code === 'aborted' ? 'none' : 'failure';
    unknown = { failure: failureOf(result.error), signal };
  } catch (error) {
    // Its message is not kept: a client of the caller's own may have put the key there.
    const message = `The client threw ${kindOfError(error)}, and whether the update was applied is unknown.`;
    warn(message);
    unknown = { failure: { code: 'client_failed', message }, signal: 'failure' };
  }
  return chooseUnknown(parts, head, unknown);
}

/** Sends in a span that shows neither the order nor what was sent; a client of the caller's own may report any code. */
function withSpan({ id, attempts, traceparent }: Head, send: () => Promise<UpdateOrderResult>) {
  const attributes = {
    'http.request.method': 'PATCH',
    'url.template': '/v2/orders/{order_token}',
    'orders.update.id': id,
    'orders.update.attempt': attempts,
  };
  const describe = (result: UpdateOrderResult) => {
    const { code, status } = result.ok ? { ...result, code: undefined } : failureOf(result.error);
    return {
      attributes: {
        ...(outcomes.includes(result.outcome) && { 'orders.outcome': result.outcome }),
        ...(typeof status === 'number' && { 'http.response.status_code': status }),
      },
      errorType: code === undefined || Object.hasOwn(codes, code) ? code : '_OTHER',
    };
  };
  const options = { kind: SpanKind.CLIENT, cause: traceparent, attributes, describe };
  return withLinkedSpan('orders.outbox.send', options, send);
}

const outcomes = ['not_sent', 'rejected', 'applied', 'unknown'];
const codes = {
  validation_error: 0,
  connection_error: 0,
  timeout: 0,
  http_error: 0,
  invalid_response: 0,
  aborted: 0,
} satisfies Record<OrdersErrorCode, 0>;

async function traced<T>({ id, attempts, traceparent }: Head, call: () => Promise<T>): Promise<T> {
  const settled = Promise.withResolvers<T>();
  await channel.tracePromise(
    async () => {
      await call().then(settled.resolve, settled.reject);
    },
    { id, attempt: attempts, ...(traceparent === null ? {} : { traceparent }) },
  );
  return settled.promise;
}

/** Decides what becomes of a head whose worker ended or stalled while it was sending. It never rejects. */
export function settleLost(parts: SendParts, head: Head): Promise<Settlement> {
  return chooseUnknown(parts, head, { failure: workerLost, signal: 'none' });
}

async function chooseUnknown(
  parts: SendParts,
  { id, token, attempts, failures }: Head,
  { failure, signal }: { readonly failure: Failure; readonly signal: Signal },
): Promise<Settlement> {
  const { onUnknown, ending, warn } = parts;
  const options = { ...parts, failures, signal };
  try {
    if (typeof onUnknown === 'string') return settleUnknown(onUnknown, failure, options);
    const { code = '', message = '' } = failure;
    const choosing = Promise.resolve(onUnknown({ id, token, attempts, code, message }));
    return settleUnknown(await withTimeout(choosing, ending), failure, options);
  } catch (error) {
    warn(`onUnknown failed, so the update ${id} needs review: ${describeError(error)}`);
    return settleUnknown('review', failure, options);
  }
}

async function withTimeout<T>(promise: Promise<T>, ending: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>();
  const onAbort = (): void => over.reject(new Error('the outbox was closed meanwhile'));
  const timer = setTimeout(() => over.reject(new Error('it took longer than a minute')), chooseWithinMs);
  if (ending.aborted) onAbort();
  ending.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', onAbort);
  }
}

const workerLost = {
  code: 'worker_lost',
  message:
    'Its worker ended or stalled while it was being sent. Whether it was applied is unknown: look at the order, then resolve, retry or discard.',
};
const unreadable = {
  code: 'unreadable',
  message: 'Its stored body is not a JSON object, so it was not sent. Discard it, and enqueue it again.',
};
