import ky from 'ky';
import { baseUrl, headers, isSafest, parseJson, sendAll, timeoutMs } from './program.ts';

const client = ky.create({
  baseUrl,
  headers,
  ...(isSafest && { retry: 0, redirect: 'error', timeout: timeoutMs, parseJson }),
});

await sendAll((token, update) => client.patch(`v2/orders/${token}`, { json: update }).json());
