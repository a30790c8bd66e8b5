import { Agent, RetryAgent, request } from 'undici';
import { baseUrl, headers, isSafest, parseJson, sendAll, timeoutMs } from './program.ts';

const dispatcher = new RetryAgent(new Agent(), isSafest ? { maxRetries: 0 } : {});

await sendAll(async (token, update) => {
  const { statusCode, body } = await request(`${baseUrl}/v2/orders/${token}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(update),
    dispatcher,
    ...(isSafest && { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
  });
  if (statusCode < 200 || statusCode >= 300) throw new Error(`Status ${statusCode}`);
  return isSafest ? parseJson(await body.text()) : body.json();
});
