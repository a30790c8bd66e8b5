import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import type { SendsThrough } from '../contract/outbox-view.ts';
import { noncePlaceholder } from './nonce-placeholder.ts';
import { sendsThroughPlaceholder } from './sends-through-placeholder.ts';

/** The views of the page: it finds its way from the address by itself. */
const views = ['/', '/orders/:token', '/decisions', '/bulk', '/bulk/:id', '/switchboard', '/outbox'];

/** Serves the built page: files under a hashed name for good, the page itself anew each time. */
export function servePage(
  directory: string,
  sendsThrough: SendsThrough,
): Hono<{ Variables: SecureHeadersVariables }> {
  const built = readFileSync(join(directory, 'index.html'), 'utf8');
  const html = built.replace(sendsThroughPlaceholder, sendsThrough);
  const page = new Hono<{ Variables: SecureHeadersVariables }>();

  for (const view of views) {
    page.get(view, (c) => {
      c.header('Cache-Control', 'no-store');
      return c.html(html.replaceAll(noncePlaceholder, c.get('secureHeadersNonce') ?? ''));
    });
  }
  page.get(
    '/assets/*',
    compress(),
    serveStatic({
      root: directory,
      onFound: (_, c) => c.header('Cache-Control', 'public, max-age=31536000, immutable'),
    }),
  );
  page.get('/favicon.svg', serveStatic({ root: directory }));
  return page;
}
