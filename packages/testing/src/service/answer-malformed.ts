import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Answer, Refusal } from './answer.ts';

const STATUS_OF: Readonly<Partial<Record<string, number>>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what is not HTTP in the same shape as every other refusal, then closes the connection. */
export function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { requestId, refused }: { readonly requestId: string; readonly refused: (refusal: Refusal) => Answer },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = refused({
    status: STATUS_OF[error.code ?? ''] ?? 400,
    code: 'request_malformed',
    message: 'What arrived is not a complete HTTP/1.1 request.',
  });
  const lines = Object.entries({ ...answer.headers, 'x-request-id': requestId, connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${head}\r\n${answer.body}`);
}
