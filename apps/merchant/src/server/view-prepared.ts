import type { PreparedUpdate } from '@orders/client';
import type { PreparedView } from '../contract/prepared-view.ts';

/** Shows a request as it will be sent, without the key. */
export function viewPrepared(prepared: PreparedUpdate): PreparedView {
  const { method, url, body, bodyBytes } = prepared;
  return {
    method,
    url,
    headers: [
      ['Authorization', 'Basic [hidden]'],
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ],
    body,
    bodyBytes,
    curl: prepared.toCurl(),
  };
}
