/**
 * A loop that retries as stripe-node 23 does, over node:http: connection errors, timeouts, 409 and 5xx, and a closed
 * connection once even with retries off. stripe-node makes that safe for a POST by an idempotency key, which this API does
 * not document.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { baseUrl, headers, isSafest, sendAll, timeoutMs } from './program.ts';

const maxNetworkRetries = isSafest ? 0 : 2;
const timeout = isSafest ? timeoutMs : 80_000;
const agent = new Agent({ keepAlive: true });

const sendOnce = (token: string, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/v2/orders/${token}`, { method: 'PATCH', headers, agent, timeout });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT' })));
    sent.on('response', resolve).on('error', reject).end(body);
  });

async function sendWithRetries(token: string, body: string, retries = 0): Promise<IncomingMessage> {
  const again = async (): Promise<IncomingMessage> => {
    await delay(500 * 2 ** retries);
    return sendWithRetries(token, body, retries + 1);
  };
  const response = await sendOnce(token, body).catch((error) => {
    const isClosed = ['ECONNRESET', 'EPIPE'].includes(error.code) && retries === 0;
    if (isClosed || retries < maxNetworkRetries) return again();
    throw error;
  });
  const { statusCode = 0 } = response;
  return retries < maxNetworkRetries && (statusCode === 409 || statusCode >= 500) ? again() : response;
}

await sendAll(async (token, update) => {
  const response = await sendWithRetries(token, JSON.stringify(update));
  const { error } = JSON.parse((await response.toArray()).join(''));
  if (error) throw new Error(`Status ${response.statusCode}`);
});
agent.destroy();
