import { spawn } from 'node:child_process';
import { createServer as createTcpServer, type Socket } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { certifyServer, createAuthority } from './certificates.ts';
import { listenOnLoopback } from './loopback.ts';
import { httpAnswer } from './raw-server.ts';

const script = fileURLToPath(new URL('updates-at-once.ts', import.meta.url));
const authority = await createAuthority('Authority of paused-updates.ts');
const certificate = await certifyServer(authority);

interface Pause {
  readonly transports: readonly ('undici' | 'fetch')[];
  readonly scheme: 'http' | 'https';
  /** Over each transport. */
  readonly updates: number;
  readonly attemptMs: number;
  readonly pauseMs: number;
}

/**
 * Sends updates in a process of their own, pauses that process (SIGSTOP) once they have all arrived, and responds to them
 * during the pause. Resolves with how many calls had each outcome.
 */
export async function updateDuringPause(pause: Pause): Promise<Record<string, number>> {
  const { transports, scheme, updates, attemptMs, pauseMs } = pause;
  const waiting: Socket[] = [];
  const awaited = updates * transports.length;
  const arrived = Promise.withResolvers<void>();
  const accept = (socket: Socket): void => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      if (received.endsWith('{"cart":{"items":[]}}') && waiting.push(socket) === awaited) arrived.resolve();
    });
  };
  const server =
    scheme === 'https'
      ? createTlsServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, accept)
      : createTcpServer(accept);
  await using listener = await listenOnLoopback(server);
  const baseUrl = `${scheme}://127.0.0.1:${listener.port}`;
  const given = [transports.join(), baseUrl, authority.cert, String(updates), String(attemptMs)];
  const child = spawn(process.execPath, ['--conditions=@orders/source', script, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: insideTestLimitMs,
    killSignal: 'SIGKILL',
  });
  const printed = text(child.stdout);
  await Promise.race([arrived.promise, printed]);
  // By then the process sleeps until its sockets or timers wake it, and has stopped before the responses arrive.
  await delay(50);
  child.kill('SIGSTOP');
  await delay(50);
  for (const socket of waiting) socket.write(httpAnswer(200, {}, '{}'));
  await delay(pauseMs);
  child.kill('SIGCONT');
  return JSON.parse(await printed);
}
