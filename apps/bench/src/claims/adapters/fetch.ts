import { baseUrl, headers, isSafest, parseJson, sendAll, timeoutMs } from './program.ts';

await sendAll(async (token, update) => {
  const response = await fetch(`${baseUrl}/v2/orders/${token}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(update),
    ...(isSafest && { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }),
  });
  if (!response.ok) throw new Error(`Status ${response.status}`);
  return isSafest ? parseJson(await response.text()) : response.json();
});
