import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { requestId } from 'hono/request-id';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import { bulkLimits, noncePlaceholder } from '../shared/limits.ts';
import { type BulkParts, bulkRoutes } from './bulk.ts';
import { ApiError, errorResponse, handleErrors, type Log } from './errors.ts';
import { type Events, eventRoutes } from './events.ts';
import { type OrderParts, orderRoutes } from './orders.ts';
import { type GuardOptions, guardRequests, securityHeaders } from './security.ts';
import { type UpdateParts, updateRoutes } from './updates.ts';
import { type WebhookParts, webhookRoutes } from './webhooks.ts';

export interface AppParts extends OrderParts, UpdateParts, WebhookParts, BulkParts, GuardOptions {
  readonly events: Events;
  /** Files of the built page. */
  readonly page: PageFiles;
  readonly log: Log;
  /** Fires when the app ends. */
  readonly signal: AbortSignal;
  /** Routes under `/api/fault-injection`, where the mock service runs in this process. */
  readonly faultInjection?: Hono | undefined;
}

interface PageFiles {
  /** The text of `index.html`. */
  readonly html: string;
  /** Where its files are; absent before it is built. */
  readonly folder?: string;
}

const maxBodyBytes = 1_048_576;

/** The page and its API; each file of routes is one hop from here. */
export function createApp(parts: AppParts) {
  const { faultInjection, log, page, signal, events } = parts;
  const app = new Hono<{ Variables: SecureHeadersVariables }>();
  app.onError(handleErrors(log));
  app.notFound((c) =>
    errorResponse(c, 404, { code: 'not_found', message: `There is no ${c.req.path} here.` }),
  );
  app.use(requestId(), securityHeaders(), guardRequests(parts));
  app.use('/api/*', (c, next) => {
    c.header('Cache-Control', 'no-store');
    const maxSize = c.req.path === '/api/bulks' ? bulkLimits.bytes : maxBodyBytes;
    const onError = () => {
      throw new ApiError(413, 'too_large', `Send at most ${maxSize / 1_048_576} MiB.`);
    };
    return bodyLimit({ maxSize, onError })(c, next);
  });
  app.use('/api/*', async (c, next) => {
    await next();
    // A response to HEAD has no body, so its stream would never end.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  if (faultInjection) app.route('/api/fault-injection', faultInjection);
  const api = app
    .route('/api/orders', orderRoutes(parts))
    .route('/api', updateRoutes(parts))
    .route('/api/bulks', bulkRoutes(parts))
    .route('/api/webhooks', webhookRoutes(parts))
    .route('/api/events', eventRoutes({ events, signal }));
  servePage(app, page);
  return api;
}

export type AppType = ReturnType<typeof createApp>;

/** Files under a hashed name stay in the cache; every path that is nothing else is a view of the page. */
function servePage(app: Hono<{ Variables: SecureHeadersVariables }>, { folder, html }: PageFiles): void {
  const onFound = (_: string, c: { header(name: string, value: string): void }) =>
    c.header('Cache-Control', 'public, max-age=31536000, immutable');
  if (folder !== undefined) {
    app.get('/assets/*', compress(), serveStatic({ root: folder, onFound }));
    app.get('/favicon.svg', serveStatic({ root: folder }));
  }
  app.get('*', (c) => {
    if (/^\/(api|assets|favicon)/.test(c.req.path)) return c.notFound();
    c.header('Cache-Control', 'no-store');
    return c.html(html.replaceAll(noncePlaceholder, c.get('secureHeadersNonce') ?? ''));
  });
}
