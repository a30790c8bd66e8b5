import {
  type Attributes,
  type BatchObservableCallback,
  context,
  isSpanContextValid,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { OutboxStatus } from './read.ts';

const scope = '@orders/outbox';

/** The trace context that is active now, as the header `traceparent` has it; `undefined` where there is none. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  if (!active || !isSpanContextValid(active)) return undefined;
  return `00-${active.traceId}-${active.spanId}-${active.traceFlags.toString(16).padStart(2, '0')}`;
}

function toSpanContext(traceparent: string | null): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

/** How a span ends. `errorType` has few values; a message, which may quote a response, stands nowhere. */
interface SpanEnd {
  readonly attributes?: Attributes;
  readonly errorType?: string | undefined;
}

/**
 * Runs something in a span that begins a trace of its own, and is linked to the context that caused it, which may be days
 * old. What a tracer of the program throws changes nothing.
 */
export async function withLinkedSpan<T>(
  name: string,
  {
    cause,
    describe,
    ...options
  }: {
    readonly kind: SpanKind;
    /** The header `traceparent` of what caused it. */
    readonly cause: string | null;
    readonly attributes?: Attributes;
    readonly describe: (result: T) => SpanEnd;
  },
  run: () => Promise<T>,
): Promise<T> {
  const span = startSpan(name, { ...options, cause });
  if (!span) return run();
  let end = (): SpanEnd => ({ errorType: '_OTHER' });
  try {
    const result = await context.with(trace.setSpan(ROOT_CONTEXT, span), run);
    end = () => describe(result);
    return result;
  } finally {
    endSpan(span, end);
  }
}

function startSpan(
  name: string,
  { cause, ...options }: { readonly kind: SpanKind; readonly cause: string | null },
): Span | undefined {
  try {
    const linked = toSpanContext(cause);
    const links = linked ? [{ context: linked }] : [];
    const span = trace.getTracer(scope).startSpan(name, { ...options, root: true, links }, ROOT_CONTEXT);
    return isSpanContextValid(span.spanContext()) ? span : undefined;
  } catch {
    return undefined;
  }
}

function endSpan(span: Span, end: () => SpanEnd): void {
  try {
    const { attributes = {}, errorType } = end();
    span.setAttributes(attributes);
    if (errorType !== undefined)
      span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  } catch {
    // What became of the work counts more.
  }
}

/** Reports the backlog whenever the program's meter provider collects. Returns what ends that. */
export function observeBacklog(schema: string, readStatus: () => Promise<OutboxStatus>): () => void {
  const meter = metrics.getMeter(scope);
  const updates = meter.createObservableGauge('orders.outbox.updates', {
    description: 'Updates that are not settled, by state, in the database.',
    unit: '{update}',
  });
  const oldestDue = meter.createObservableGauge('orders.outbox.oldest_due', {
    description: 'Age of the oldest update that could be sent now; 0 when none could.',
    unit: 's',
  });
  const observe: BatchObservableCallback = async (result) => {
    // Without the database nothing is reported: an old figure would look like a true one.
    const status = await readStatus().catch(() => undefined);
    if (!status) return;
    const { queued, sending, needsReview, rejected, oldestDueAt } = status.updates;
    for (const [state, count] of Object.entries({ queued, sending, needs_review: needsReview, rejected }))
      result.observe(updates, count, { schema, state });
    const ageMs = oldestDueAt ? Math.max(0, Date.now() - oldestDueAt.getTime()) : 0;
    result.observe(oldestDue, ageMs / 1_000, { schema });
  };
  meter.addBatchObservableCallback(observe, [updates, oldestDue]);
  return () => meter.removeBatchObservableCallback(observe, [updates, oldestDue]);
}
