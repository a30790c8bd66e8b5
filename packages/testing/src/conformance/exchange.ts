import type { Answer } from './answer.ts';
import type { ConformanceFetch, ConformanceFetchInit } from './conformance-fetch.ts';
import { quoteService } from './quote-service.ts';
import { readCapped } from './read-capped.ts';
import type { ScrubSecrets } from './scrub-secrets.ts';
import { until } from './until.ts';

/** What came back, or why nothing whole did. */
export type Exchange = Answer | { readonly failure: string };

export interface ExchangeOptions {
  readonly fetch: ConformanceFetch;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly scrub: ScrubSecrets;
}

/** An answer is read no further, so that one without end costs no more. */
const MAX_BYTES = 65_536;

/** Sends once and reads what comes; rejects with the signal's reason, and for nothing that the service does. */
export async function exchange(
  url: string,
  init: Omit<ConformanceFetchInit, 'redirect' | 'signal'>,
  { fetch, timeoutMs, signal, scrub }: ExchangeOptions,
): Promise<Exchange> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stop = signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]);
  try {
    // A `fetch` of one's own may heed no signal, and may throw where it should reject.
    const answer = await until(stop, async () => fetch(url, { ...init, redirect: 'manual', signal: stop }));
    const { bytes, isWhole } = await readCapped(answer.body, { maxBytes: MAX_BYTES, stop });
    return {
      status: answer.status,
      mediaType: answer.headers.get('content-type') ?? undefined,
      location: answer.headers.get('location') ?? undefined,
      text: new TextDecoder().decode(bytes),
      isWhole,
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.signal.aborted) return { failure: `no whole answer came within ${timeoutMs} ms` };
    return { failure: quoteService(`no whole answer came: ${explainFailure(error)}`, scrub) };
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` tells why it failed in the cause, and the cause of several addresses has a code alone. */
function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'fetch threw something that is no error';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause ? String(cause.code) : '';
  return cause.message === '' ? `${error.message} (${code})` : cause.message;
}
