import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2Stream } from 'node:http2';
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

const wasRead = (): Response =>
  refusal(500, 'The body was read before: let the inbox read it, without a body parser.');

/** The bytes of a body as they came; a response where that is too long, takes too long, breaks off, or was read before. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  if (request.bodyUsed || request.body?.locked) return wasRead();
  if (!request.body) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<unknown> = request.body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => {});
  }, bodyMs);
  let first: Uint8Array<ArrayBuffer> | undefined;
  /** It grows in place: a sender may split a body into single bytes. Most come in one piece, for which none is reserved. */
  let buffer: ArrayBuffer | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) return refusal(408, 'The body took too long.');
      if (done) return buffer ? new Uint8Array(buffer.slice()) : (first ?? new Uint8Array());
      if (!(value instanceof Uint8Array)) return wasRead();
      const length = buffer?.byteLength ?? first?.byteLength ?? 0;
      if (length + value.byteLength > maxBytes)
        return refusal(413, `The body has more than ${maxBytes} bytes.`);
      if (!first) {
        // Its owner may fill it again.
        first = new Uint8Array(value);
        continue;
      }
      if (!buffer) {
        buffer = new ArrayBuffer(length, { maxByteLength: maxBytes });
        new Uint8Array(buffer).set(first);
      }
      buffer.resize(length + value.byteLength);
      new Uint8Array(buffer, length).set(value);
    }
  } catch {
    return refusal(400, 'The body broke off.');
  } finally {
    clearTimeout(timer);
    // What is left of it is not waited for.
    void reader.cancel().catch(() => {});
  }
}

/** What `fromNode` returns: a listener of `node:http`, which Express takes, too. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves an inbox by `node:http` or `node:http2`, and by frameworks on them, before any parser of bodies. */
export function fromNode(inbox: { receive(request: Request): Promise<Response> }): NodeHandler {
  return async (incoming, outgoing) => {
    try {
      await send(await respond(inbox, incoming), outgoing);
    } catch {
      // Where that cannot be sent either, the sender has gone.
      await send(refusal(500, 'The response cannot be sent.'), outgoing).catch(() => outgoing.destroy());
    }
  };
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const { status, headers } = response;
  const body = Buffer.from(await response.arrayBuffer());
  // Somebody else may have responded meanwhile, such as a limit of time.
  if (outgoing.headersSent) return;
  const head = new Headers(headers);
  // Node counts the body itself, and would keep these for another response where it refuses another header.
  for (const name of ['content-length', 'transfer-encoding', 'set-cookie']) head.delete(name);
  outgoing.writeHead(status, { ...Object.fromEntries(head), 'set-cookie': headers.getSetCookie() });
  try {
    // A server may refuse to write a body after a 204, even an empty one, or to HEAD.
    outgoing.end(body.byteLength > 0 && outgoing.req.method !== 'HEAD' ? body : undefined, () => {
      // Otherwise a stream of HTTP/2 would wait for the rest of a body that is too long.
      if (!outgoing.req.complete && 'stream' in outgoing) (outgoing.stream as Http2Stream).destroy();
    });
  } catch {
    // The response has begun, and nothing else could end it.
    outgoing.destroy();
  }
}

async function respond(
  inbox: { receive(request: Request): Promise<Response> },
  incoming: IncomingMessage,
): Promise<Response> {
  if (incoming.method !== 'POST') return refusal(405, 'Send events with POST.', { allow: 'POST' });
  // A parser that does not know the type of a body leaves it to the inbox.
  if (incoming.readableDidRead) return wasRead();
  let request: Request;
  try {
    request = toRequest(incoming);
  } catch {
    return refusal(400, 'The URL or a header cannot be read.');
  }
  return inbox.receive(request);
}

/** @throws TypeError where the URL, the host or a header is none */
function toRequest(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (!name.startsWith(':')) for (const each of [value ?? []].flat()) headers.append(name, each);
  const host = incoming.headers[':authority'] ?? incoming.headers.host ?? 'localhost';
  // Express cuts its mount path off, and keeps the whole URL.
  const path = (incoming as { readonly originalUrl?: string }).originalUrl ?? incoming.url ?? '/';
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http';
  // A proxy writes the whole URL, which replaces the host.
  const url = path.startsWith('/') ? `${scheme}://${String(host)}${path}` : path;
  const body = Readable.toWeb(incoming) as NodeStream<Uint8Array> as ReadableStream;
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  return new Request(url, init);
}
