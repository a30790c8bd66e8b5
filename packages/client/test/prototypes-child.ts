/**
 * Makes calls of every outcome from a process of its own: `prototypes-child.ts <specifier> <base URL> [extended]`, with
 * more properties on the prototypes of all objects and lists. Writes what the calls came to as JSON.
 */
import process from 'node:process';
import type * as client from '../src/index.ts';

const [specifier = '', baseUrl = '', extended] = process.argv.slice(2);
const { createOrdersClient }: typeof client = await import(specifier);
// Later than the import, which zod would end with an error of its own.
if (extended) {
  const properties = { each: () => {}, size: 5, empty: null, nested: { deep: [1] }, text: 'text' };
  Object.assign(Array.prototype, { remove: () => {}, last: 7 });
  Object.assign(Object.prototype, properties, { cart: {}, 'retry-after': '90', 'content-type': 'text/html' });
}

const update = { cart: { items: [{ sku: 'mug', quantity: 2 }] } };
const options = { apiKey: 'swordfish-swordfish', retry: { maxAttempts: 1 } };
await using orders = createOrdersClient({ baseUrl, ...options });
await using nowhere = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', ...options });

const results: { ok: boolean; outcome: string; error?: client.OrdersError | undefined }[] = [];
for (const token of process.env['TOKENS']?.split(' ') ?? [])
  results.push(await orders.safeUpdateOrder(token, update));
results.push(await nowhere.safeUpdateOrder('order_1', update));
results.push(await orders.safeUpdateOrder('order_1', { cart: { item: [] } as never }));
const beforeSend = (): never => {
  throw new Error('not now');
};
results.push(await orders.safeUpdateOrder('order_1', update, { beforeSend }));
for await (const result of orders.updateOrders([{ token: 'json', update }])) results.push(result);
const { body } = orders.prepareUpdateOrder('order_1', update);
const echoed = await orders.echo();

const shown = results.map(({ ok, outcome, error, ...rest }) => ({
  ...(error && { code: error.code, message: error.message, cause: String(error.cause), error }),
  ...rest,
  ok,
  outcome,
}));
/** What differs from one process to another. */
const withoutTimes = (name: string, value: unknown) =>
  ['receipt', 'stack'].includes(name) || /^(date|durationMs|retryAfterMs)$/.test(name) ? undefined : value;
process.stdout.write(JSON.stringify([shown, body, echoed], withoutTimes));
