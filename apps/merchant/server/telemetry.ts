import { createRequire } from 'node:module';
import process from 'node:process';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';

/** The segments of paths that identify nothing: any other may be a token, an id or a secret. */
const words =
  /^(v2|api|orders|updates|bulks|webhooks|send|resolve|retry|resume|discard|fault-injection|burst|scan)?$/;

function templateOf(url = ''): string {
  const [path = ''] = url.split('?', 1);
  return path
    .split('/')
    .map((segment) => (words.test(segment) ? segment : '{id}'))
    .join('/');
}

/**
 * Sends traces and metrics to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`; the other variables of OpenTelemetry count, too.
 * Returns what sends the rest and ends it.
 */
export function startTelemetry(): () => Promise<void> {
  // By itself, it does not say that the collector cannot be reached.
  process.env['OTEL_LOG_LEVEL'] ??= 'warn';
  const sdk = new NodeSDK({
    serviceName: process.env['OTEL_SERVICE_NAME'] ?? 'merchant',
    instrumentations: [
      new HttpInstrumentation({
        // What the page reads says little, and its event stream never ends.
        ignoreIncomingRequestHook: ({ method }) => method === 'GET',
        startIncomingSpanHook: ({ url }) => ({ 'url.path': templateOf(url), 'http.route': templateOf(url) }),
        requestHook: (span, request) => {
          if ('url' in request) span.updateName(`${request.method} ${templateOf(request.url)}`);
        },
      }),
      new UndiciInstrumentation({
        startSpanHook: ({ origin, path }) => ({
          'url.full': `${origin}${templateOf(path)}`,
          'url.path': templateOf(path),
        }),
      }),
    ],
  });
  sdk.start();
  // The instrumentation changes the module as it is required; the servers are of its classes, however they were imported.
  createRequire(import.meta.url)('node:http');
  // What could not be exported was logged.
  return () => sdk.shutdown().catch(() => {});
}
