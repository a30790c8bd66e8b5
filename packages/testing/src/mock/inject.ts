import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from './fault.ts';
import { type PlainResponse, type Rejection, respondText } from './responses.ts';

const jsonType = { 'content-type': 'application/json' };
const noContent: PlainResponse = { status: 204, headers: {}, body: '' };
const signInPage = '<!doctype html><title>Sign in</title><p>Sign in to use this network.</p>';

/** Ends the connection where the fault says so, instead of a response. Returns false for a fault of the response. */
export function breakConnection(fault: Fault, socket: Socket, restart: (downMs: number) => void): boolean {
  switch (fault.type) {
    case 'reset_before_applying':
    case 'reset_after_applying':
      socket.resetAndDestroy();
      return true;
    case 'garbage':
      socket.write(fault.text ?? 'SSH-2.0-OpenSSH_9.9\r\n', 'latin1');
      socket.destroySoon();
      return true;
    case 'restart':
      restart(fault.downMs ?? 100);
      return true;
    case 'stalled_headers':
      return true;
    default:
      return false;
  }
}

/** Puts the fault's response in place of the usual one; a fault of delivery leaves it as it is. */
export function alterResponse(
  fault: Fault,
  usual: PlainResponse,
  rejected: (rejection: Rejection) => PlainResponse,
): PlainResponse {
  switch (fault.type) {
    case 'status': {
      const plain = statusResponse(fault, usual, rejected);
      const given = Object.entries(fault.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      return { ...plain, status: fault.status, headers: { ...plain.headers, ...Object.fromEntries(given) } };
    }
    case 'redirect':
      return respondText(fault.status ?? 307, '', { location: fault.location ?? '/v2/moved' });
    case 'empty':
      return respondText(200, '', jsonType);
    case 'no_content':
      return noContent;
    case 'invalid_json':
      return respondText(200, fault.body ?? '{"token":', jsonType);
    case 'wrong_media_type': {
      const mediaType = fault.mediaType ?? 'text/html; charset=utf-8';
      return respondText(200, fault.body ?? signInPage, { 'content-type': mediaType });
    }
    default:
      return usual;
  }
}

function statusResponse(
  { status, body }: Extract<Fault, { type: 'status' }>,
  usual: PlainResponse,
  rejected: (rejection: Rejection) => PlainResponse,
): PlainResponse {
  if (status === 204 || status === 304) return noContent;
  if (body !== undefined) return respondText(status, body, jsonType);
  if (status < 300) return usual;
  return rejected({ status, code: 'fault_scripted', message: 'A scripted fault.' });
}

export interface Delivery {
  /** Sends a response as usual. */
  readonly send: (response: ServerResponse, content: PlainResponse) => void;
  /** Rejects when the service closes. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Sends a response in the way of the fault. */
export async function deliverResponse(
  fault: Fault,
  content: PlainResponse,
  response: ServerResponse,
  { send, wait }: Delivery,
): Promise<void> {
  const { socket } = response.req;
  switch (fault.type) {
    case 'stalled_body':
      return sendPart(response, content, fault.sentBytes);
    case 'truncation':
      sendPart(response, content, fault.sentBytes);
      socket.destroySoon();
      return;
    case 'slow_drip':
      response.writeHead(content.status, content.headers).flushHeaders();
      for (const byte of Buffer.from(content.body)) {
        if (response.destroyed) return;
        response.write(Buffer.of(byte));
        await wait(fault.intervalMs ?? 10);
      }
      response.end();
      return;
    case 'oversize': {
      const { bytes = 16_777_216, chunked = false } = fault;
      const length = Math.max(bytes, Buffer.byteLength(content.body));
      const headers = chunked ? {} : { 'content-length': String(length) };
      return sendChunks(response, content, { headers, chunks: padWithBlanks(content.body, bytes) });
    }
    case 'gzip_bomb': {
      const chunks = gzipChunks(padWithBlanks(content.body, fault.bytes ?? 268_435_456));
      return sendChunks(response, content, { headers: { 'content-encoding': 'gzip' }, chunks });
    }
    case 'close_after_response':
      response.once('finish', () => socket.destroySoon());
      return send(response, content);
    default:
      return send(response, content);
  }
}

/** Sends all headers and less than the whole body, and leaves the response open. */
function sendPart(response: ServerResponse, content: PlainResponse, sentBytes: number | undefined): void {
  const body = Buffer.from(content.body);
  const sent = Math.min(sentBytes ?? Math.floor(body.length / 2), body.length - 1);
  response.writeHead(content.status, content.headers).flushHeaders();
  if (sent > 0) response.write(body.subarray(0, sent));
}

async function sendChunks(
  response: ServerResponse,
  content: PlainResponse,
  sent: { readonly headers: PlainResponse['headers']; readonly chunks: Iterable<Buffer> },
): Promise<void> {
  const { 'content-length': _, ...headers } = content.headers;
  response.writeHead(content.status, { ...headers, ...sent.headers });
  // A client that has had enough goes away in the middle.
  await pipeline(Readable.from(sent.chunks), response).catch(() => {});
}

/** A text behind blanks, so many bytes in all; JSON means the same. */
function* padWithBlanks(text: string, bytes: number): Generator<Buffer> {
  const padded = Buffer.from(text);
  let missing = bytes - padded.length;
  // The same block each time: nothing grows with the size, and it is compressed once.
  const block = Buffer.alloc(Math.min(1_048_576, Math.max(missing, 0)), ' ');
  for (; missing > block.length; missing -= block.length) yield block;
  if (missing > 0) yield block.subarray(0, missing);
  yield padded;
}

/** A gzip stream may have any number of members (RFC 1952, 2.2): each different chunk is compressed once. */
function* gzipChunks(chunks: Iterable<Buffer>): Generator<Buffer> {
  const members = new Map<Buffer, Buffer>();
  for (const chunk of chunks) {
    const member = members.get(chunk) ?? gzipSync(chunk);
    members.set(chunk, member);
    yield member;
  }
}
