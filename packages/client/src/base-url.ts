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
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl: write the whole address, such as "https://api.example.com".');
  }
  if (url.username || url.password) {
    throw new TypeError('baseUrl holds credentials: pass the key as apiKey instead.');
  }
  if (url.search || url.hash) throw new TypeError('baseUrl: leave out the query and the fragment.');
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw new TypeError(
      `baseUrl: plain http would show the key to the network between here and ${url.hostname}; use https, or set allowInsecureHttp.`,
    );
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
