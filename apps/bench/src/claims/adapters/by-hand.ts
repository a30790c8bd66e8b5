/** fetch, and the table of outcomes written by hand: what a careful engineer can do without us. */
import { baseUrl, headers, isSafest, report, sendInSequence, timeoutMs } from './program.ts';

const refused = ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'];

await sendInSequence(async ({ id, token, update }) => {
  const outcome = await fetch(`${baseUrl}/v2/orders/${token}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(update),
    redirect: 'manual',
    ...(isSafest && { signal: AbortSignal.timeout(timeoutMs) }),
  }).then(
    ({ ok, status, headers, body }) => {
      // What it holds changes nothing, and it may never end.
      body?.cancel().catch(() => {});
      const isJson = /^application\/json/.test(headers.get('content-type') ?? '');
      if (ok && (isJson || status === 204)) return 'applied';
      return isJson && status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unknown';
    },
    ({ cause }) => (refused.includes(cause?.code) ? 'not_sent' : 'unknown'),
  );
  report(id, { outcome });
});
