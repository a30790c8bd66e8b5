import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { MemoryDoor } from './memory-door.ts';

const MOST_REDIRECTS = 20;
const BODILESS = [204, 205, 304];

/**
 * A `fetch` that speaks HTTP to the service over connections in memory, a new one for each request; it fails as the
 * global one does, for any other origin too, so that no test leaves its process by mistake.
 */
export function createMemoryFetch(origin: string, door: MemoryDoor): typeof fetch {
  const serve = async (request: Request, hops: number): Promise<Response> => {
    const response = await exchange(request, { origin, door });
    Object.defineProperty(response, 'redirected', { value: hops > 0 });
    const location = response.headers.get('location');
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
    if (!isRedirect || request.redirect === 'manual') return response;
    if (request.redirect === 'error' || hops === MOST_REDIRECTS)
      throw failed(new Error('unexpected redirect'));
    return serve(redirected(request, response.status, new URL(location, request.url)), hops + 1);
  };
  return async (input, init) => serve(new Request(input, init), 0);
}

function copy({ method, headers, signal, redirect }: Request): RequestInit {
  return { method, headers, signal, redirect };
}

/** The rules of the Fetch Standard, HTTP-redirect fetch: 303 turns every method but HEAD into GET. */
function redirected(request: Request, status: number, target: URL): Request {
  const isKept = status !== 303 || request.method === 'HEAD';
  if (!isKept) {
    const headers = new Headers(request.headers);
    headers.delete('content-type');
    return new Request(target, { ...copy(request), headers, method: 'GET' });
  }
  return new Request(target, request);
}

async function exchange(
  request: Request,
  { origin, door }: { readonly origin: string; readonly door: MemoryDoor },
): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const url = new URL(request.url);
  if (url.origin !== origin)
    throw failed(new Error(`Only ${origin} is served in memory, not ${url.origin}.`));
  try {
    const body = Buffer.from(await request.clone().arrayBuffer());
    const sent = openRequest({
      // An HTTP client asks of a socket what this one has.
      createConnection: () => door.connect() as object as Socket,
      host: url.host,
      method: request.method,
      path: url.pathname + url.search,
      headers: headersOf(request),
      signal,
    });
    sent.end(body.length === 0 ? undefined : body);
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    if (answer === undefined) throw new Error('There was no answer.');
    return toResponse(answer, { url, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : failed(error);
  }
}

function headersOf(request: Request): Record<string, string> {
  // What the global `fetch` adds by itself.
  return { accept: '*/*', 'accept-encoding': 'gzip, deflate', ...Object.fromEntries(request.headers) };
}

function toResponse(
  answer: IncomingMessage,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const isZipped = headers.get('content-encoding') === 'gzip';
  const stream: Readable = isZipped ? answer.pipe(createGunzip()) : answer;
  // A broken connection ends the answer, which a pipe does not pass on.
  if (isZipped) answer.once('error', (error) => stream.destroy(error));
  const isBodiless = BODILESS.includes(status);
  if (isBodiless) answer.resume();
  const response = new Response(isBodiless ? null : bodyOf(stream, signal), { status, statusText, headers });
  // A constructor cannot set these.
  Object.defineProperties(response, { type: { value: 'basic' }, url: { value: url.href } });
  return response;
}

function bodyOf(stream: Readable, signal: AbortSignal): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (next.done) {
          controller.close();
          controller.byobRequest?.respond(0);
        } else controller.enqueue(new Uint8Array(next.value));
      } catch (cause) {
        controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause }));
      }
    },
    cancel() {
      stream.destroy();
    },
  });
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause });
}
