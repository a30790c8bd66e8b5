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
  return { method: request.method ?? '', target: request.url ?? '', headers: request.headersDistinct };
}
