import type { IncomingMessage } from 'node:http';

/** A request before its body, apart from any socket. */
export interface RequestHead {
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly target: string;
  /** Lower-case name to every value given, in order. */
  readonly headers: Readonly<Partial<Record<string, readonly string[]>>>;
}

export function readRequestHead(request: IncomingMessage): RequestHead {
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers: listHeaders(request.rawHeaders),
  };
}

function listHeaders(raw: readonly string[]): RequestHead['headers'] {
  // Without a prototype, so that a header named like one of its fields is a header like any other.
  const headers: Record<string, string[]> = Object.create(null);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = raw[index + 1] ?? '';
    const before = headers[name];
    if (before === undefined) headers[name] = [value];
    else before.push(value);
  }
  return headers;
}
