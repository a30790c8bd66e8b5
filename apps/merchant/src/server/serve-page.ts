import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import { noncePlaceholder } from './nonce-placeholder.ts';

/** Serves the built page: files under a hashed name for good, the page itself anew each time. */
export function servePage(directory: string): Hono<{ Variables: SecureHeadersVariables }> {
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  const page = new Hono<{ Variables: SecureHeadersVariables }>();

  page.get('/', (c) => {
    c.header('Cache-Control', 'no-store');
    return c.html(html.replaceAll(noncePlaceholder, c.get('secureHeadersNonce') ?? ''));
  });
  page.get(
    '/assets/*',
    serveStatic({
      root: directory,
      onFound: (_, c) => c.header('Cache-Control', 'public, max-age=31536000, immutable'),
    }),
  );
  page.get('/favicon.svg', serveStatic({ root: directory }));
  return page;
}
