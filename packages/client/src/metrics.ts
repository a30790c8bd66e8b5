import type { OrdersError } from './errors.ts';
import type { Outcome } from './operation.ts';
import type { MakeCall, updateOperation } from './update-order.ts';

/** What is used of a meter provider of `@opentelemetry/api`. */
interface MeterProvider {
  getMeter(name: string): {
    createCounter(name: string, options: object): { add(value: number, attributes: object): void };
    createHistogram(name: string, options: object): { record(value: number, attributes: object): void };
  };
}

/**
 * Where each copy of `@opentelemetry/api` 1.x finds what the program has registered. Read here, it needs no import, which
 * bundlers would fail at where the package is not installed.
 */
const registry = Symbol.for('opentelemetry.js.api.1');

/** Up to the total time of a call and beyond, in seconds. */
const explicitBucketBoundaries = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 45, 90];

/**
 * Counts the outcomes of updates and measures their calls, where the program has registered a meter provider. Its
 * attributes have the values of `Outcome` and `OrdersErrorCode` alone.
 */
export function createUpdateMetrics() {
  let provider: MeterProvider | undefined;
  let instruments: ReturnType<typeof createInstruments> | undefined;

  /** The instruments of the provider that is registered now, which may come after the client. */
  function current(): typeof instruments {
    const { metrics } = (globalThis as { [registry]?: { metrics?: MeterProvider } })[registry] ?? {};
    if (metrics === provider) return instruments;
    provider = metrics;
    instruments = metrics && createInstruments(metrics);
    return instruments;
  }

  function record(outcome: Outcome, code?: string, startedAt?: number): void {
    try {
      const used = current();
      used?.outcomes.add(1, { outcome, ...(code !== undefined && { code }) });
      if (startedAt !== undefined)
        used?.duration.record((performance.now() - startedAt) / 1_000, { outcome });
    } catch {
      // What became of the update counts more.
    }
  }

  const isOn = (): boolean => registry in globalThis;

  return {
    /** Measures calls that update an order. */
    measured:
      (next: MakeCall): MakeCall =>
      (call) => {
        if (call.operation.lane === undefined || !isOn()) return next(call);
        const startedAt = performance.now();
        const making = next(call);
        making.then(
          ({ outcome }) => record(outcome, undefined, startedAt),
          ({ outcome, code }: OrdersError) => record(outcome, code, startedAt),
        );
        return making;
      },
    /** Counts updates that are invalid, which are no calls. */
    counted:
      (validate: typeof updateOperation): typeof updateOperation =>
      (core, token, update) => {
        try {
          return validate(core, token, update);
        } catch (error) {
          const { outcome, code } = error as OrdersError;
          record(outcome, code);
          throw error;
        }
      },
  };
}

function createInstruments(provider: MeterProvider) {
  const meter = provider.getMeter('@orders/client');
  return {
    outcomes: meter.createCounter('orders.update.outcomes', {
      description: 'Calls that update an order, by outcome and by the code of the error.',
      unit: '{update}',
    }),
    duration: meter.createHistogram('orders.update.duration', {
      description: 'How long calls that update an order took, waiting included, by outcome.',
      unit: 's',
      advice: { explicitBucketBoundaries },
    }),
  };
}
