import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { MockOrderService } from '../src/index.ts';
import { openSocket } from './open-socket.ts';
import { basic, orderPath } from './send.ts';

type Addressed = Pick<MockOrderService, 'url' | 'key' | 'token'>;

/** The head of an update whose body is `length` bytes, as text for a bare socket. */
export function updateHead({ key, token }: Addressed, length: number): string {
  return (
    `PATCH ${orderPath(token)} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(`${key}:`)}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  );
}

/** A whole update as text for a bare socket. */
export function rawUpdate(service: Addressed, body: object = { cart: {} }): string {
  const text = JSON.stringify(body);
  return updateHead(service, Buffer.byteLength(text)) + text;
}

export interface Ending {
  /** Everything that arrived. */
  readonly text: string;
  /** How the other side ended the connection: in order (FIN) or by a reset (RST). */
  readonly end: 'fin' | 'reset';
}

/** Sends text over a new connection and reads until the other side ends it. */
export async function exchange(service: Addressed, text = rawUpdate(service)): Promise<Ending> {
  return readToEnd(await openSocket(service, text));
}

/** Reads until the other side ends the connection. */
export function readToEnd(socket: Socket): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('end', () => resolve({ text, end: 'fin' }));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve({ text, end: 'reset' });
      else reject(error);
    });
  });
}

/** Reads until the head of a response and `bodyBytes` of its body have arrived. */
export async function readUntil(socket: Socket, bodyBytes: number): Promise<string> {
  let text = '';
  while (!text.includes('\r\n\r\n') || bodyOf(text).length < bodyBytes) {
    const [chunk] = await once(socket, 'data');
    text += String(chunk);
  }
  return text;
}

export function bodyOf(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4);
}

export function lengthOf(response: string): number {
  return Number(/content-length: (\d+)/i.exec(response)?.[1] ?? Number.NaN);
}
