export type RequestTarget =
  | { readonly resource: 'order'; readonly token: string }
  | { readonly resource: 'echo' }
  | { readonly problem: 'not_found' | 'malformed' };

const ORIGIN = /^https?:\/\/[^/?#]*/i;
const PLAIN_PATH = /^[A-Za-z0-9_/]*$/;
const PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const ORDER_PATH = /^\/v2\/orders\/([^/]+)$/;

/**
 * Reads a raw request target (interface document, Endpoints): the token is one path segment, percent-decoded once.
 *
 * The query is ignored, because the document shows none; an absolute target is taken because a proxy sends it.
 */
export function readRequestTarget(raw: string): RequestTarget {
  const [path = ''] = raw.replace(ORIGIN, '').split('?', 1);
  // The second test takes longer, and nearly every path passes the first.
  if (!PLAIN_PATH.test(path) && !PATH.test(path)) return { problem: 'malformed' };
  if (path === '/v2/echo_with_private_key') return { resource: 'echo' };
  const segment = ORDER_PATH.exec(path)?.[1];
  if (segment === undefined) return { problem: 'not_found' };
  try {
    return { resource: 'order', token: decodeURIComponent(segment) };
  } catch {
    return { problem: 'malformed' };
  }
}
