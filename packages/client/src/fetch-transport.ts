import type { Answer, Exchange, ExchangeLimits, Failure, Progress, Transport } from './exchange.ts';
import { causeOf, nothingLeft } from './fetch-failure.ts';

/** What sends a request: the runtime's `fetch`, or one that is called and answers like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends over `fetch`, with the given fields in each of its requests. */
export function fetchTransport(fetch: Fetch, fields: object): Transport {
  return (request, limits) => {
    const { signal, timeoutMs } = limits;
    const unsent = {
      type: 'failure',
      progress: 'connecting',
      head: undefined,
      cause: signal?.reason,
    } as const;
    if (signal?.aborted) return Promise.resolve({ ...unsent, reason: 'aborted' });
    if (timeoutMs <= 0) return Promise.resolve({ ...unsent, reason: 'timeout' });
    const { method, origin, path, headers, authorization, body } = request;
    const init: RequestInit = {
      method,
      headers: { ...headers, authorization: authorization.reveal() },
      redirect: 'manual',
      ...(body === undefined ? undefined : { body }),
      ...fields,
    };
    return new Promise((resolve) => {
      const send = (ending: AbortSignal) => fetch(origin + path, { ...init, signal: ending });
      void new PendingFetch(limits, resolve).run(send, path);
    });
  };
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

class PendingFetch {
  readonly #limits: ExchangeLimits;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #ending = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onAbort = () => this.#fail('aborted', this.#limits.signal?.reason);
  #settled = false;
  #head: Omit<Answer, 'type' | 'text'> | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #text = '';
  #bytes = 0;

  constructor(limits: ExchangeLimits, resolve: (exchange: Exchange) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#fail('timeout', undefined), limits.timeoutMs);
    limits.signal?.addEventListener('abort', this.#onAbort);
  }

  async run(send: (ending: AbortSignal) => Promise<Response>, path: string): Promise<void> {
    try {
      const { status, headers, body } = await send(this.#ending.signal);
      this.#head = { status, headers: Object.fromEntries(headers) };
      this.#reader = body?.getReader();
      if (this.#settled) return this.#drop();
      await this.#read();
      this.#settle({ type: 'answer', ...this.#head, text: this.#text });
    } catch (failure) {
      this.#fail('connection', causeOf(failure, path), nothingLeft(failure) ? 'connecting' : 'sent');
    }
  }

  /** Counts what `fetch` has decompressed, so that a small answer cannot unpack to more than is read. */
  async #read(): Promise<void> {
    const utf8 = new TextDecoder();
    while (!this.#settled) {
      const chunk = await this.#reader?.read();
      if (!chunk?.value) break;
      this.#bytes += chunk.value.byteLength;
      this.#text += utf8.decode(chunk.value, { stream: true });
      if (this.#bytes > this.#limits.maxResponseBytes) this.#fail('too_large', undefined);
    }
    this.#text += utf8.decode();
  }

  #fail(reason: Failure['reason'], cause: unknown, progress: Progress = 'sent'): void {
    if (this.#settled) return;
    const head = this.#head && { ...this.#head, text: this.#text };
    this.#settle({ type: 'failure', reason, progress: head ? 'answering' : progress, head, cause });
    this.#drop();
  }

  #drop(): void {
    this.#ending.abort();
    // A `fetch` of the user's own need not heed the signal.
    this.#reader?.cancel().catch(() => {});
  }

  #settle(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    this.#resolve(exchange);
  }
}
