/** Makes calls at once: `bytewise-child.ts <base URL> <count>`. Writes what they cost at most, in MB. */
import process from 'node:process';
import { createOrdersClient } from '../src/index.ts';

const [baseUrl = '', count = ''] = process.argv.slice(2);
const orders = createOrdersClient({ baseUrl, apiKey: 'swordfish-swordfish', timeouts: { attempt: 60_000 } });
const call = () => orders.updateOrder(crypto.randomUUID(), { cart: { items: [] } });

/** What V8 holds: the pages of a process are those of its program, too, which come and go as the kernel decides. */
const held = (): number => {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
};
const before = held();
let most = before;
const look = setInterval(() => {
  most = Math.max(most, held());
}, 1);
await Promise.all(Array.from({ length: Number(count) }, call));
clearInterval(look);
process.stdout.write(String((most - before) / 1e6));
await orders.destroy();
