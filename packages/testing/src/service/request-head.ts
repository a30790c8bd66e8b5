import type { IncomingMessage } from 'node:http';

/** A request before its body, apart from any connection. */
export interface RequestHead {
  readonly method: string;
  /** The request target as sent: not decoded, query included. */
  readonly target: string;
  /** Lower-case name to value, repeated headers joined by `, `; `authorization` reads `[redacted]`. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  /** What `headers` does not show, so that nothing which is handed on or kept can. */
  readonly authorization: string | undefined;
}

export function readRequestHead(request: IncomingMessage): RequestHead {
  const raw = request.rawHeaders;
  const headers: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    addHeader(headers, raw[index]?.toLowerCase() ?? '', raw[index + 1] ?? '');
  }
  const authorization = headers['authorization'];
  if (authorization !== undefined) headers['authorization'] = '[redacted]';
  return { method: request.method ?? '', target: request.url ?? '', headers, authorization };
}

function addHeader(headers: Record<string, string>, name: string, value: string): void {
  if (Object.hasOwn(headers, name)) headers[name] += `, ${value}`;
  else if (name !== '__proto__') headers[name] = value;
  // A header may have this name, and an assignment would not make it a field.
  else Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
}
