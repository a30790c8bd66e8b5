import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startRegistry } from '../src/registry/start-registry.ts';

export interface WatchedRegistry extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
  /** Names of the packages that somebody tried to publish, in order. */
  readonly tries: readonly string[];
  /** Refuses to publish a package, once. */
  readonly refuseOnce: (name: string) => void;
}

/** Starts a registry that remembers what is published to it, and refuses when told. */
export async function startWatchedRegistry(folder: string): Promise<WatchedRegistry> {
  const registry = await startRegistry(join(folder, 'registry'));
  const tries: string[] = [];
  const refused = new Set<string>();
  const server = createServer((question, answer) => {
    const name = decodeURIComponent(question.url ?? '').slice(1);
    if (question.method === 'PUT') tries.push(name);
    if (question.method === 'PUT' && refused.delete(name)) {
      question.resume();
      answer.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"not today"}');
      return;
    }
    passOn(registry.url, question, answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    tries,
    refuseOnce: (name) => void refused.add(name),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await registry[Symbol.asyncDispose]();
    },
  };
}

/** The name under which one asks stays, because the addresses of packed files are made of it. */
function passOn(registry: string, question: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url = '/' } = question;
  const onward = request(new URL(url, registry), { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  question.pipe(onward);
}
