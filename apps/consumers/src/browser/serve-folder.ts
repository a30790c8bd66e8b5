import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export interface ServedFolder extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
}

/** Serves the files of a folder on loopback, under a policy that forbids to evaluate code. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const server = createServer(async ({ url = '/' }, answer) => {
    const path = normalize(new URL(url, 'http://page').pathname);
    try {
      const file = await readFile(join(folder, path === '/' ? 'index.html' : path));
      const type = mediaTypes[extname(path) || '.html'] ?? 'application/octet-stream';
      answer.writeHead(200, { 'content-type': type, 'content-security-policy': "default-src 'self'" });
      answer.end(file);
    } catch {
      answer.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
