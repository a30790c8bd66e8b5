import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from '../answer.ts';
import type { FaultsByPlace } from './fault.ts';
import { gzipChunks } from './gzip-chunks.ts';
import { padWithBlanks } from './pad-with-blanks.ts';

export interface Delivery {
  /** How an answer is sent when nothing goes wrong. */
  readonly send: (response: ServerResponse, answer: Answer) => void;
  /** Rejects when the service closes. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Sends an answer in the way of the fault: as usual, unless it is one of delivery. */
export async function deliverAnswer(
  fault: FaultsByPlace['answer'],
  answer: Answer,
  response: ServerResponse,
  { send, wait }: Delivery,
): Promise<void> {
  const { socket } = response.req;
  switch (fault.fault) {
    case 'stalled_body':
      return sendPart(response, answer, fault.sentBytes);
    case 'truncation':
      sendPart(response, answer, fault.sentBytes);
      socket.destroySoon();
      return;
    case 'slow_drip':
      return drip(response, answer, () => wait(fault.intervalMs ?? 10));
    case 'oversize': {
      const { bytes = 16_777_216, chunked = false } = fault;
      const length = Math.max(bytes, Buffer.byteLength(answer.body));
      const headers = chunked ? {} : { 'content-length': String(length) };
      return sendChunks(response, answer, { headers, chunks: padWithBlanks(answer.body, bytes) });
    }
    case 'gzip_bomb': {
      const { bytes = 268_435_456 } = fault;
      const chunks = gzipChunks(padWithBlanks(answer.body, bytes));
      return sendChunks(response, answer, { headers: { 'content-encoding': 'gzip' }, chunks });
    }
    case 'close_after_answer':
      response.once('finish', () => socket.destroySoon());
      return send(response, answer);
    default:
      return send(response, answer);
  }
}

/** Sends the whole head and less than the whole body, and leaves the answer open. */
function sendPart(response: ServerResponse, answer: Answer, sentBytes: number | undefined): void {
  const body = Buffer.from(answer.body);
  const sent = Math.min(sentBytes ?? Math.floor(body.length / 2), body.length - 1);
  response.writeHead(answer.status, answer.headers).flushHeaders();
  if (sent > 0) response.write(body.subarray(0, sent));
}

async function drip(response: ServerResponse, answer: Answer, pause: () => Promise<void>): Promise<void> {
  response.writeHead(answer.status, answer.headers).flushHeaders();
  for (const byte of Buffer.from(answer.body)) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await pause();
  }
  response.end();
}

async function sendChunks(
  response: ServerResponse,
  answer: Answer,
  sent: { readonly headers: Answer['headers']; readonly chunks: Iterable<Buffer> },
): Promise<void> {
  const { 'content-length': _, ...headers } = answer.headers;
  response.writeHead(answer.status, { ...headers, ...sent.headers });
  // A client that has had enough goes away in the middle.
  await pipeline(Readable.from(sent.chunks), response).catch(() => {});
}
