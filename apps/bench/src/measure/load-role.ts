import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { updateHeaders, updatePath } from '../peers/update-request.ts';
import { loadKey } from '../server/order-service-role.ts';
import { buildUpdate } from '../workload/build-update.ts';
import { orderTokens } from '../workload/order-tokens.ts';

export interface LoadOrder {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
}

export interface Load {
  readonly answers: number;
  readonly wallMs: number;
}

/** Sends updates made beforehand over bare sockets, so that as little as can be of the time is the sender's. */
export function startLoadRole() {
  return {
    async send({ url, connections, durationMs }: LoadOrder): Promise<Load> {
      const { hostname, port } = new URL(url);
      const updates = orderTokens.map((token) => writeUpdate(token, `${hostname}:${port}`));
      const sockets = await Promise.all(
        Array.from({ length: connections }, () => openSocket(hostname, Number(port))),
      );
      let answers = 0;
      let isOver = false;
      const beginning = performance.now();
      const runs = sockets.map((socket) => {
        const next = (): void => void socket.write(updates[answers % updates.length] ?? '');
        socket.on('data', (chunk: Buffer) => {
          // An answer of a few hundred bytes comes in one piece, or this is no measurement.
          if (!isWhole(chunk)) socket.destroy(new Error(`Not the answer to an update: ${chunk.toString()}`));
          answers += 1;
          if (isOver) socket.destroy();
          else next();
        });
        next();
        return once(socket, 'close');
      });
      setTimeout(() => {
        isOver = true;
      }, durationMs);
      await Promise.all(runs);
      return { answers, wallMs: performance.now() - beginning };
    },
  };
}

function writeUpdate(token: string, host: string): Buffer {
  const body = JSON.stringify(buildUpdate(2));
  const headers = { host, ...updateHeaders(loadKey), 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`PATCH ${updatePath(token)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

async function openSocket(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  return socket.setNoDelay();
}

function isWhole(chunk: Buffer): boolean {
  const text = chunk.toString('latin1');
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
  return text.startsWith('HTTP/1.1 200 ') && text.length - text.indexOf('\r\n\r\n') - 4 === length;
}
