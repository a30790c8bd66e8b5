import axios from 'axios';
import axiosRetry from 'axios-retry';
import { baseUrl, headers, isSafest, sendAll, timeoutMs } from './program.ts';

const client = axios.create({
  baseURL: baseUrl,
  headers,
  ...(isSafest && {
    timeout: timeoutMs,
    maxRedirects: 0,
    responseType: 'json',
    transitional: { silentJSONParsing: false },
  }),
});
axiosRetry(client, isSafest ? { retries: 0 } : {});

await sendAll(async (token, update) => (await client.patch(`/v2/orders/${token}`, update)).data);
