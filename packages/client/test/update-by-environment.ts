/** Sends one update through whatever proxy the environment names, and prints its outcome as JSON. */
import process from 'node:process';
import { createOrdersClient } from '../src/index.ts';
import { EnvHttpProxyAgent } from '../src/undici.ts';

const [baseUrl = '', apiKey = '', ca = ''] = process.argv.slice(2);
const dispatcher = new EnvHttpProxyAgent({ connect: { ca }, requestTls: { ca } });
const orders = createOrdersClient({ baseUrl, apiKey, dispatcher });
const { ok, error } = await orders.safeUpdateOrder('order_1234', { cart: { items: [] } });
process.stdout.write(JSON.stringify({ outcome: ok ? 'applied' : error.outcome }));
