import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox, postgresStore } from '@orders/outbox';
import { watchTelemetry } from './watch-telemetry.ts';

// Sends what is due in a process with an SDK of its own, and prints the spans.
const { baseUrl, apiKey, connectionString, schema: databaseSchema } = JSON.parse(process.argv[2] ?? '');
using telemetry = watchTelemetry();
await using client = createOrdersClient({ baseUrl, apiKey });
await using outbox = await createOutbox({
  client,
  store: postgresStore({ connectionString }),
  databaseSchema,
});
await outbox.drain();
const spans = telemetry.spans.map((span) => ({
  name: span.name,
  kind: span.kind,
  attributes: span.attributes,
  links: span.links.map(({ context }) => context),
  parent: span.parentSpanContext,
  own: span.spanContext(),
}));
process.stdout.write(JSON.stringify(spans));
