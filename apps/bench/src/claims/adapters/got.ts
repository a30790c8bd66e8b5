import got from 'got';
import { baseUrl, headers, isSafest, sendAll, timeoutMs } from './program.ts';

const client = got.extend({
  prefixUrl: baseUrl,
  headers,
  ...(isSafest && { retry: { limit: 0 }, followRedirect: false, timeout: { request: timeoutMs } }),
});

await sendAll(async (token, update) => {
  const request = client.patch(`v2/orders/${token}`, { json: update, responseType: 'json' });
  const { statusCode, body } = await request;
  // Without followRedirect, a redirect is no error.
  if (statusCode >= 300) throw new Error(`Status ${statusCode}`);
  return body;
});
