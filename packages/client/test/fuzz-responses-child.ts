/**
 * Calls a service of hostile responses from a process of its own: `fuzz-responses-child.ts <specifier> <base URL> <seed>
 * <count>`. Writes the outcome of each call as JSON.
 */
import process from 'node:process';
import { basic } from '@orders/auth';
import type * as client from '../src/index.ts';
import { mayStall, sampleResponses } from './hostile-responses.ts';

const [specifier = '', baseUrl = '', seed = '', count = ''] = process.argv.slice(2);
const { createOrdersClient }: typeof client = await import(specifier);

/** Calls at once. */
const concurrency = 32;

const orders = createOrdersClient({
  baseUrl,
  retry: { maxAttempts: 1 },
  maxPauseMs: 1,
  apiKey: 'swordfish-swordfish',
});
const responses = sampleResponses(Number(seed), Number(count));
const outcomes: string[] = [];
let next = 0;

async function work(): Promise<void> {
  for (let id = next++; id < responses.length; id = next++) {
    const attempt = mayStall(responses[id]) ? 150 : 60_000;
    const result = await orders.safeUpdateOrder(
      `order_${id}`,
      { cart: { items: [] } },
      {
        headers: { 'x-case': String(id) },
        timeouts: { attempt, total: 60_000 },
        // A key of its own, or a 429 would pause the others.
        credentials: basic(`swordfish-${id}`),
      },
    );
    outcomes[id] = result.ok ? 'ok' : result.outcome;
  }
}

await Promise.all(Array.from({ length: concurrency }, work));
await orders.close();
if (({} as Record<string, unknown>)['polluted'] !== undefined)
  throw new Error('A response polluted Object.prototype.');
process.stdout.write(JSON.stringify(outcomes));
