import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface ReceivedCall {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Resolves once so many calls were read in all. */
  received(count: number): Promise<void>;
}

/** A merchant's receiver on loopback: answers the nth call by the nth status, the last one repeated, or by a function. */
export async function startReceiver(
  answer: readonly number[] | ((response: ServerResponse) => void) = [200],
): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    calls.push({ method, path, headers, body: await buffer(request) });
    server.emit('called');
    if (typeof answer === 'function') answer(response);
    else response.writeHead(answer[Math.min(calls.length, answer.length) - 1] ?? 200).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks?shop=1`,
    calls,
    async received(count) {
      while (calls.length < count) await once(server, 'called');
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
