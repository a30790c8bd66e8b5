import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** The SDK of a program, which keeps what others export. */
export interface Telemetry extends Disposable {
  readonly spans: readonly ReadableSpan[];
  /** What a collection exports now. */
  collect(): Promise<ResourceMetrics>;
  /** Forgets the spans. */
  reset(): void;
}

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/**
 * Registers the SDK as a program does, with the instrumentation of undici as the guide has it. It is one for a process: a
 * test that calls this runs alone.
 */
export function watchTelemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  const reader = new Reader();
  const instrumentation = new UndiciInstrumentation({
    startSpanHook: ({ origin, path }) =>
      path.includes('/v2/orders/')
        ? { 'url.full': `${origin}/v2/orders/{order_token}`, 'url.path': '/v2/orders/{order_token}' }
        : {},
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  instrumentation.setTracerProvider(trace.getTracerProvider());
  instrumentation.enable();
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    collect: async () => {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw errors[0];
      return resourceMetrics;
    },
    reset: () => exporter.reset(),
    [Symbol.dispose]() {
      instrumentation.disable();
      for (const api of [context, trace, metrics]) api.disable();
    },
  };
}

/** The points of each metric of ours, by the name of the metric. */
export function pointsOf({ scopeMetrics }: ResourceMetrics) {
  const ours = scopeMetrics.filter(({ scope }) => scope.name.startsWith('@orders/'));
  return new Map(
    ours.flatMap(({ metrics: found }) =>
      found.map(({ descriptor, dataPoints }) => [descriptor.name, { unit: descriptor.unit, dataPoints }]),
    ),
  );
}
