import { once } from 'node:events';
import { globSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createVite } from 'vite';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

test('in development, the modules of the page are served from their sources, whatever route has their name', async () => {
  const vite = await createVite({
    configFile: join(folder, 'vite.config.ts'),
    root: join(folder, 'page'),
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true, include: [] },
    server: { middlewareMode: true, ws: false },
  });
  const server = createServer(vite.middlewares).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // One module of each folder, since a folder may be named like a route.
  const modules = ['*.ts', '*/*.ts', '*/*-page.tsx'].flatMap((found) =>
    globSync(found, { cwd: join(folder, 'page') }),
  );
  expect(modules).toEqual(expect.arrayContaining(['api.ts', 'fault-injection/api.ts']));
  const types = modules.map(async (file) => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/${file}`);
    return `${file} ${headers.get('content-type')}`;
  });
  expect(await Promise.all(types)).toEqual(modules.map((file) => `${file} text/javascript`));
  server.close();
  server.closeAllConnections();
  await vite.close();
});
