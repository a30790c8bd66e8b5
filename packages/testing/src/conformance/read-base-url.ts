/**
 * Reads a base URL into what every path is appended to.
 *
 * @throws {TypeError} When it is no http(s) URL, holds credentials, a query or a fragment, or is plain http to another
 * machine without leave; the message shows none of it but the host.
 */
export function readBaseUrl(input: string, allowInsecureHttp: boolean): string {
  const url = URL.canParse(input) ? new URL(input) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl: write the whole address, such as https://api.example.com.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl holds credentials; give the key by itself.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl: leave out the query and the fragment.');
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw new TypeError(
      `baseUrl: plain http would show the key to everyone between here and ${url.hostname}; use https, or allow insecure http.`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
