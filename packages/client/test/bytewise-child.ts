/** Makes calls at once: `bytewise-child.ts <base URL> <count>`. Writes what they cost at most, in MB. */
import process from 'node:process';
import { createOrdersClient } from '../src/index.ts';

const [baseUrl = '', count = ''] = process.argv.slice(2);
const orders = createOrdersClient({ baseUrl, apiKey: 'swordfish-swordfish', timeouts: { attempt: 60_000 } });
const call = () => orders.updateOrder(crypto.randomUUID(), { cart: { items: [] } });

const before = process.memoryUsage.rss();
await Promise.all(Array.from({ length: Number(count) }, call));
// In KiB.
const { maxRSS } = process.resourceUsage();
process.stdout.write(String((maxRSS * 1_024 - before) / 1e6));
await orders.destroy();
