import { type OrdersClient, ValidationError } from '@orders/client';
import type { MockOrderService } from '@orders/testing';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { DeskUpdate } from '../contract/desk-update.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { UpdateConflict } from '../storage/update-conflict.ts';
import type { BulkDesk } from './bulk-desk.ts';
import { bulkRoutes } from './bulk-routes.ts';
import type { EventHub } from './event-hub.ts';
import { eventRoutes } from './event-routes.ts';
import { guardRequests } from './guard-requests.ts';
import { type OrderRoutesOptions, orderRoutes } from './order-routes.ts';
import { type OutboxRoutesOptions, outboxRoutes } from './outbox-routes.ts';
import { refuse } from './refuse.ts';
import { reportRefusal } from './report-update.ts';
import { securityHeaders } from './security-headers.ts';
import { servePage } from './serve-page.ts';
import { switchboardRoutes } from './switchboard-routes.ts';
import type { UpdateDesk } from './update-desk.ts';
import { updateRoutes } from './update-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface AppOptions extends OrderRoutesOptions {
  readonly storage: DeskStorage;
  readonly hub: EventHub;
  readonly desk: UpdateDesk;
  readonly orders: OrdersClient;
  readonly bulks: BulkDesk;
  readonly bulkStore: BulkStore;
  readonly service?: MockOrderService | undefined;
  /** The outbox that updates are sent through. @default undefined: the desk's own client sends them */
  readonly outbox?: OutboxRoutesOptions['outbox'] | undefined;
  /** Folder of the built page. */
  readonly pageDirectory: string;
  /** The name by which this desk may be called, besides `localhost` and addresses. */
  readonly host: string;
  /** Fires when the desk ends. */
  readonly signal: AbortSignal;
}

/** The desk as one fetch handler: its API and its page, behind the same guards. */
export function createApp(options: AppOptions): Hono {
  const { pageDirectory, host, publicUrl, service, bulks, bulkStore, schema = DeskUpdate, outbox } = options;
  const { now = () => new Date() } = options;
  const app = new Hono();
  app.use(securityHeaders());
  app.use(guardRequests({ ownName: host, publicName: new URL(publicUrl).hostname }));
  app.use('/api/*', async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.route('/api/orders', orderRoutes(options));
  app.route('/api/updates', updateRoutes(options));
  app.route('/api/events', eventRoutes(options));
  app.route('/api/bulks', bulkRoutes({ bulks, store: bulkStore, schema }));
  app.route('/api/switchboard', switchboardRoutes({ ...options, service }));
  if (outbox) app.route('/api/outbox', outboxRoutes({ ...options, outbox }));
  app.route('/hooks', webhookRoutes(options));
  app.route('/', servePage(pageDirectory, outbox ? 'outbox' : 'client'));
  app.notFound((c) => refuse(c, 404, { code: 'not_found', message: `There is no ${c.req.path} here.` }));
  app.onError((error, c) => {
    if (error instanceof UpdateConflict) return refuse(c, 409, { code: error.code, message: error.message });
    // The client may let through less than the desk does.
    if (error instanceof ValidationError) return c.json(reportRefusal(error.issues, now()), 422);
    if (error instanceof HTTPException && error.status < 500)
      return refuse(c, 400, { code: 'bad_request', message: error.message });
    // What went wrong inside is not for the page to know.
    return refuse(c, 500, { code: 'desk_failed', message: 'Something went wrong inside the desk.' });
  });
  return app;
}
