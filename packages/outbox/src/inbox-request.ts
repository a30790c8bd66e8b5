import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';

/** How long a body may take, in milliseconds. */
const bodyMs = 15_000;

/** Responds that an event was not stored, in one line of text. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

/** The bytes of a body as they came; a response where that is too long, takes too long, breaks off, or was read before. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  if (request.bodyUsed)
    return refusal(500, 'The body was read before: let the inbox read it, without a body parser.');
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), bodyMs);
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late.promise]);
      if (read === 'late') return refusal(408, 'The body took too long.', { connection: 'close' });
      if (read.done) break;
      chunks.push(read.value);
      length += read.value.byteLength;
      if (length > maxBytes)
        return refusal(413, `The body has more than ${maxBytes} bytes.`, { connection: 'close' });
    }
  } catch {
    return refusal(400, 'The body broke off.');
  } finally {
    clearTimeout(timer);
    // What is left of it is not waited for.
    void reader.cancel().catch(() => {});
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

/** What `fromNode` returns: a listener of `node:http`, which Express takes, too. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves an inbox by `node:http`, and by frameworks on it, before any parser of bodies. */
export function fromNode(inbox: { receive(request: Request): Promise<Response> }): NodeHandler {
  return async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const init: RequestInit & { duplex: 'half' } = { method, headers: new Headers(), duplex: 'half' };
    for (const [name, value] of Object.entries(headers))
      for (const each of [value ?? []].flat()) (init.headers as Headers).append(name, each);
    if (method !== 'GET' && method !== 'HEAD')
      init.body = Readable.toWeb(incoming) as NodeStream<Uint8Array> as ReadableStream;
    // Express cuts its mount path off, and keeps the whole URL.
    const path = (incoming as { readonly originalUrl?: string }).originalUrl ?? url;
    const wasRead = incoming.readableEnded || 'body' in incoming;
    const response = wasRead
      ? refusal(500, 'The body was read before: let the inbox read it, without a body parser.')
      : await inbox.receive(new Request(new URL(path, `http://${headers.host ?? 'localhost'}`), init));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(response.body ? Buffer.from(await response.arrayBuffer()) : undefined);
  };
}
