export type RequestTarget =
  | { readonly resource: 'order'; readonly token: string }
  | { readonly resource: 'echo' }
  | { readonly resource: 'server' }
  | { readonly problem: 'not_found' | 'malformed' };

const ORIGIN = /^https?:\/\/[^/?#]*/i;
const PLAIN_PATH = /^[A-Za-z0-9_/]*$/;
const PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const ORDERS = '/v2/orders/';

/**
 * Reads a raw request target (interface document, Endpoints): the token is one path segment, percent-decoded once.
 *
 * The query is ignored, because the document shows none; an absolute target is taken because a proxy sends it, and `*`
 * because OPTIONS may ask of the whole server (RFC 9110, 9.3.7).
 */
export function readRequestTarget(raw: string): RequestTarget {
  if (raw === '*') return { resource: 'server' };
  const path = readPath(raw);
  // The second test takes longer, and nearly every path passes the first.
  if (!PLAIN_PATH.test(path) && !PATH.test(path)) return { problem: 'malformed' };
  if (path === '/v2/echo_with_private_key') return { resource: 'echo' };
  const segment = path.startsWith(ORDERS) ? path.slice(ORDERS.length) : '';
  if (segment === '' || segment.includes('/')) return { problem: 'not_found' };
  if (!segment.includes('%')) return { resource: 'order', token: segment };
  try {
    return { resource: 'order', token: decodeURIComponent(segment) };
  } catch {
    return { problem: 'malformed' };
  }
}

/** The path of a target, without origin and query. */
export function readPath(raw: string): string {
  const local = raw.startsWith('/') ? raw : raw.replace(ORIGIN, '');
  const query = local.indexOf('?');
  return query === -1 ? local : local.slice(0, query);
}
