import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { NotLoopbackError } from './loopback-address.ts';

/** More of an answer than anyone needs; it is read at all so that a receiver can end its answer in peace. */
const MAX_ANSWER_BYTES = 65_536;

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly lookup: LookupFunction;
  readonly timeoutMs: number;
  /** Ends the attempt at once. */
  readonly signal: AbortSignal;
}

export type PostResult = { readonly status: number } | { readonly error: string };

/**
 * Posts once over a connection of its own and never rejects, whatever the receiver does.
 *
 * The head of the answer decides: what comes after it is thrown away, and cut off where it is too long or too slow.
 */
export function postOnce({ url, headers, body, lookup, timeoutMs, signal }: Post): Promise<PostResult> {
  if (signal.aborted) return Promise.resolve({ error: 'service_closed' });
  return new Promise((resolve) => {
    let outgoing: ClientRequest | undefined;
    let answered: PostResult | undefined;
    const settle = (otherwise: string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      outgoing?.destroy();
      resolve(answered ?? { error: otherwise });
    };
    const onAbort = () => settle('service_closed');
    const timer = setTimeout(() => settle('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort);
    try {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      // Without an agent the connection ends with its answer.
      outgoing = send(url, { method: 'POST', agent: false, lookup, headers: { ...headers } });
    } catch (error) {
      settle(nameError(error));
      return;
    }
    // It stays when all is settled, since an `error` that nobody hears would end the process.
    outgoing.on('error', (error) => settle(nameError(error)));
    outgoing.once('close', () => settle('ECONNRESET'));
    outgoing.once('response', (answer) => {
      answered = { status: answer.statusCode ?? 0 };
      let size = 0;
      answer.on('error', () => {});
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) settle('answer_too_long');
      });
    });
    outgoing.end(body);
  });
}

function nameError(error: unknown): string {
  if (error instanceof NotLoopbackError) return 'address_refused';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}
