import { afterSockets } from './deadline.ts';
import { type AnswerHead, type Exchange, readHead, type Transport } from './exchange.ts';
import { causeOf, nothingLeft } from './fetch-failure.ts';

/** What sends a request: the runtime's `fetch`, or one that is called and answers like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends over `fetch`, with the given fields in each of its requests. */
export function fetchTransport(fetch: Fetch, fields: object): Transport {
  return ({ origin, path, method, headers, body }, { signal, timeoutMs, maxResponseBytes }) =>
    new Promise((resolve) => {
      const ending = new AbortController();
      let settled = false;
      let head: AnswerHead | undefined;
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      let text = '';

      const settle = (failure: Exchange['failure'], cause?: unknown, sent = true): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        resolve({ failure, sent: sent || head !== undefined, response: head && { ...head, text }, cause });
        if (failure) drop();
      };
      const drop = (): void => {
        ending.abort();
        // A `fetch` of the user's own need not heed the signal.
        (async () => reader?.cancel())().catch(() => {});
      };
      const aborted = (): void => settle('aborted', signal?.reason);
      const timer = setTimeout(() => afterSockets(() => settle('timeout')), timeoutMs);
      signal?.addEventListener('abort', aborted);

      /** Counts what `fetch` has decompressed, so that a small response cannot unpack to more than is read. */
      const read = async (): Promise<void> => {
        const utf8 = new TextDecoder();
        for (let bytes = 0; !settled; ) {
          const chunk = await reader?.read();
          if (!chunk?.value) break;
          bytes += chunk.value.byteLength;
          text += utf8.decode(chunk.value, { stream: true });
          if (bytes > maxResponseBytes) settle('too_large');
        }
        text += utf8.decode();
      };
      const send = async (): Promise<void> => {
        const response = await fetch(origin + path, {
          method,
          headers,
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: ending.signal,
          ...fields,
        });
        head = readHead(response.status, Object.fromEntries(response.headers));
        reader = response.body?.getReader();
        if (settled) return drop();
        await read();
        settle(undefined);
      };
      send().catch((thrown) => settle('connection', causeOf(thrown, path), !nothingLeft(thrown)));
    });
}

/**
 * Fields that keep caches and cookies out. A runtime may refuse a field that it does not know, as Cloudflare's does,
 * so only what its `Request` has is set.
 */
export function privateFields(): object {
  const { prototype } = Request;
  return {
    ...('cache' in prototype && { cache: 'no-store' }),
    ...('credentials' in prototype && { credentials: 'omit' }),
  };
}
