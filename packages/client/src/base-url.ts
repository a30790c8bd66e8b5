import { check } from './check.ts';

/** Where requests go: the origin, and a path prefix without a slash at its end. */
export interface BaseUrl {
  readonly origin: string;
  readonly prefix: string;
}

/**
 * Reads a base URL.
 *
 * @throws TypeError when it is no absolute http(s) URL, holds credentials, a query or a fragment, or is
 * plain http to another machine without `allowInsecureHttp`. The message shows no credentials.
 */
export function parseBaseUrl(input: string | URL, allowInsecureHttp: boolean): BaseUrl {
  const url = URL.canParse(String(input)) ? new URL(input) : undefined;
  check(
    url && /^https?:$/.test(url.protocol),
    'baseUrl: write the full URL, such as "https://api.example.com".',
  );
  check(!url.username && !url.password, 'baseUrl holds credentials: pass the key as apiKey instead.');
  // Only the first slash of a row is tried, so that many of them take linear time.
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');
  const without = url.origin + prefix.slice(0, -3);
  check(!prefix.endsWith('/v2'), `baseUrl ends in /v2, which the client adds itself: write "${without}".`);
  check(!url.search && !url.hash, 'baseUrl: leave out the query and the fragment.');
  check(
    // A resolver may be asked for names below `.localhost`, so they prove nothing.
    url.protocol === 'https:' ||
      allowInsecureHttp ||
      /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname),
    'baseUrl: plain http would show the key to the network; use https, or set allowInsecureHttp.',
  );
  return { origin: url.origin, prefix };
}
