import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** Where the build puts the site. */
export const siteFolder = join(import.meta.dirname, '../dist');

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** The built site on a free port of this machine. */
export interface ServedSite extends AsyncDisposable {
  readonly url: string;
}

/** Serves the built site as any plain file server would: no rewriting, no fallback. */
export async function serveSite(): Promise<ServedSite> {
  if (!existsSync(join(siteFolder, 'index.html'))) {
    throw new Error('The site is not built: run `pnpm --filter docs build` first.');
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(siteFolder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    try {
      const bytes = await readFile(file);
      response.writeHead(200, { 'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream' });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
