import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { guardRequests } from './guard-requests.ts';
import { type OrderRoutesOptions, orderRoutes } from './order-routes.ts';
import { refuse } from './refuse.ts';
import { securityHeaders } from './security-headers.ts';
import { servePage } from './serve-page.ts';

export interface AppOptions extends OrderRoutesOptions {
  /** Folder of the built page. */
  readonly pageDirectory: string;
  /** The name by which this desk may be called, besides `localhost` and addresses. */
  readonly host: string;
}

/** The desk as one fetch handler: its API and its page, behind the same guards. */
export function createApp({ pageDirectory, host, ...orders }: AppOptions): Hono {
  const app = new Hono();
  app.use(securityHeaders());
  app.use(guardRequests(host));
  app.use('/api/*', async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.route('/api/orders', orderRoutes(orders));
  app.route('/', servePage(pageDirectory));
  app.notFound((c) => refuse(c, 404, { code: 'not_found', message: `There is no ${c.req.path} here.` }));
  app.onError((error, c) =>
    error instanceof HTTPException && error.status < 500
      ? refuse(c, 400, { code: 'bad_request', message: error.message })
      : // What went wrong inside is not for the page to know.
        refuse(c, 500, { code: 'desk_failed', message: 'Something went wrong inside the desk.' }),
  );
  return app;
}
