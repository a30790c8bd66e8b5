import type { IncomingMessage } from 'node:http';

/** The headers of a request, lower-case name to value; repeated ones joined by `, `. */
type RequestHeaders = Readonly<Partial<Record<string, string>>>;

/** A request before its body. */
export interface RequestHead {
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly target: string;
  /** `authorization` reads `[redacted]`. */
  readonly headers: RequestHeaders;
  /** Whether it has a `Host`, or needs none (HTTP/1.0). */
  readonly hasHost: boolean;
  /** What `headers` does not show, so that nothing which is kept can. */
  readonly authorization: string | undefined;
}

export function readRequestHead(request: IncomingMessage): RequestHead {
  const { rawHeaders } = request;
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    const value = rawHeaders[index + 1] ?? '';
    if (Object.hasOwn(headers, name)) headers[name] += `, ${value}`;
    else if (name !== '__proto__') headers[name] = value;
    // A header may have this name, and an assignment would not make it a property.
    else
      Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
  }
  const authorization = headers['authorization'];
  if (authorization !== undefined) headers['authorization'] = '[redacted]';
  const hasHost = headers['host'] !== undefined || request.httpVersion === '1.0';
  return { method: request.method ?? '', target: request.url ?? '', headers, hasHost, authorization };
}

/** What the path of a request names. */
export type RequestTarget =
  | { readonly resource: 'order'; readonly token: string }
  | { readonly resource: 'echo' }
  | { readonly resource: 'server' }
  | { readonly problem: 'not_found' | 'malformed' };

const origin = /^https?:\/\/[^/?#]*/i;
const plainPath = /^[A-Za-z0-9_/]*$/;
const anyPath = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const orders = '/v2/orders/';

/**
 * Reads a raw request target (API reference, Endpoints): the token is one path segment, percent-decoded once.
 *
 * The query is ignored, because the API documents none; an absolute target is accepted because a proxy sends it, and `*`
 * because OPTIONS may be about the whole server (RFC 9110, 9.3.7).
 */
export function readRequestTarget(raw: string): RequestTarget {
  if (raw === '*') return { resource: 'server' };
  const path = readPath(raw);
  // The second test takes longer, and nearly every path passes the first.
  if (!plainPath.test(path) && !anyPath.test(path)) return { problem: 'malformed' };
  if (path === '/v2/echo_with_private_key') return { resource: 'echo' };
  const segment = path.startsWith(orders) ? path.slice(orders.length) : '';
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
  const local = raw.startsWith('/') ? raw : raw.replace(origin, '');
  const query = local.indexOf('?');
  return query === -1 ? local : local.slice(0, query);
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** Whether a `Content-Type` is `application/json`, in UTF-8 where it names a charset; one that is given twice is not. */
export function isJsonContentType(value: string | undefined): boolean {
  return value === 'application/json' || (value !== undefined && jsonType.test(value));
}

/** Whether an `Accept` admits `application/json` (RFC 9110, 12.5.1): the most specific range that names it decides. */
export function acceptsJson(value: string | undefined): boolean {
  if (value === undefined || value === 'application/json') return true;
  const ranges = value.split(',').map(readRange);
  if (ranges.every(({ range }) => range === '')) return true;
  for (const name of ['application/json', 'application/*', '*/*']) {
    const named = ranges.filter(({ range }) => range === name);
    if (named.length > 0) return named.some(({ quality }) => quality > 0);
  }
  return false;
}

function readRange(text: string): { range: string; quality: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { range, quality: quality === undefined ? 1 : Number(quality) };
}

export interface ReceivedBody {
  readonly bytes: Buffer;
  /** `cut`: the sender went away before the end. */
  readonly end: 'complete' | 'too_large' | 'cut';
}

/**
 * Reads a body, keeping at most `maxBytes` of it, and calls back exactly once: a promise would cost every request
 * another turn.
 *
 * A body known to be too large settles at once, and the rest of it is thrown away, so the response need not wait.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  callback: (body: ReceivedBody) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let isSettled = false;
  const settle = (end: ReceivedBody['end']) => {
    if (isSettled) return;
    isSettled = true;
    callback({ bytes: Buffer.concat(chunks), end });
  };
  request.on('data', (chunk: Buffer) => {
    if (isSettled) return;
    size += chunk.length;
    if (size > maxBytes) settle('too_large');
    else chunks.push(chunk);
  });
  request.on('end', () => settle('complete'));
  request.on('error', () => settle('cut'));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) settle('too_large');
}
