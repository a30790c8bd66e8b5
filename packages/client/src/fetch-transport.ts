import { afterSockets } from './deadline.ts';
import type { Fetch } from './options.ts';
import { sanitizeCause } from './redact.ts';
import {
  ResponseBody,
  type ResponseHead,
  readHead,
  type Transport,
  type TransportFailure,
} from './transport.ts';

/** Sends over `fetch`, with more fields in each of its requests. */
export function fetchTransport(fetch: Fetch, fieldsOf: (signal: AbortSignal) => object): Transport {
  return (request, { deadline, timeoutMs, maxResponseBytes }) =>
    new Promise((resolve) => {
      const { origin, path, method, headers, body, beforeSend } = request;
      const startedAt = performance.now();
      const notSent = (failure: TransportFailure, cause?: unknown): void =>
        resolve({ failure, sent: false, response: undefined, cause });
      try {
        if (!beforeSend()) return notSent('held');
      } catch (thrown) {
        return notSent('before_send', thrown);
      }
      // The hook may have fired the signal, destroyed the client, or blocked the thread.
      if (deadline.aborted) return notSent('aborted', deadline.reason);
      if (performance.now() - startedAt >= timeoutMs) return notSent('timeout');

      const controller = new AbortController();
      let settled = false;
      let head: ResponseHead | undefined;
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      const received = new ResponseBody();

      const settle = (failure: TransportFailure | undefined, cause?: unknown, sent = true): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        deadline.offAbort(onAbort);
        resolve({
          failure,
          sent: sent || head !== undefined,
          response: head && { ...head, ...received.read() },
          cause,
        });
        if (failure) drop();
      };
      const drop = (): void => {
        controller.abort();
        // A `fetch` of the user need not heed the signal.
        (async () => reader?.cancel())().catch(() => {});
      };
      const onAbort = (): void => settle('aborted', deadline.reason);
      const timer = setTimeout(() => afterSockets(() => settle('timeout')), timeoutMs);
      deadline.onAbort(onAbort);

      /** Counts what `fetch` has decompressed, so that a small response cannot unpack to more than is read. */
      const read = async (): Promise<void> => {
        while (!settled) {
          const chunk = await reader?.read();
          if (!chunk?.value) break;
          received.add(chunk.value);
          if (received.length > maxResponseBytes) settle('too_large');
        }
      };
      const send = async (): Promise<void> => {
        const response = await fetch(origin + path, {
          method,
          headers,
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal: controller.signal,
          ...fieldsOf(controller.signal),
        });
        head = readHead(response.status, Object.fromEntries(response.headers));
        reader = response.body?.getReader();
        if (settled) return drop();
        await read();
        settle(undefined);
        // A 204, 205 or 304 has no body to read, and what comes all the same would keep its connection open.
        if (!reader) drop();
      };
      send().catch((thrown) => settle('connection', getCause(thrown, path), !failedBeforeSend(thrown)));
    });
}

/**
 * Whether `fetch` certainly failed before a byte of the request left. Node and Bun name such causes by codes; nothing
 * else that a runtime reports is proof.
 *
 * "Connection refused" in Deno's words, and `ConnectionRefused` as Bun wrote before 1.4, are no proof: both report it
 * also when the connection for a second sending of their own is refused.
 */
export function failedBeforeSend(failure: unknown): boolean {
  try {
    const { name, code, syscall, errors } = Object(rootOf(failure));
    // A host of several addresses fails with one error for each.
    if (Array.isArray(errors) && errors.length > 0) return errors.every(failedBeforeSend);
    // Deno refuses what it was not allowed before it connects.
    if (name === 'NotCapable') return true;
    if (code === undefined) return false;
    return syscall === 'connect' || syscall === 'getaddrinfo' || preSendErrorCodes.test(String(code));
  } catch {
    // A `fetch` of the user may throw anything.
    return false;
  }
}

/** No connection, or a refused certificate of the server, which is checked before a request is written. */
const preSendErrorCodes =
  /^(ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/;

/** Why `fetch` failed. Runtimes write the URL into it, and with it the whole order token. */
function getCause(failure: unknown, path: string): Error | undefined {
  const hidePath = (text: string): string =>
    text
      .replaceAll(path, '/…')
      // OpenSSL adds numbers and the path of its source to the reason.
      .replace(/^.*:error:[^:]*:[^:]*:[^:]*:([^:]*):.*$/s, '$1');
  const cause = sanitizeCause(rootOf(failure), hidePath);
  return cause?.message ? cause : sanitizeCause(failure, hidePath);
}

/** Node and Deno throw "fetch failed" with the reason as its cause. */
function rootOf(failure: unknown): unknown {
  try {
    const { cause } = Object(failure) as { cause?: unknown };
    return cause instanceof Error ? cause : failure;
  } catch {
    return failure;
  }
}
