import type { OrdersClient } from '@orders/client';
import { explain, OrderToken, type OrderUpdateSchema } from '@orders/schema';
import type { MockOrderService } from '@orders/testing';
import { Hono } from 'hono';
import { DeskUpdate } from '../contract/desk-update.ts';
import { DraftRequest, type OrderList, type OrderView, type ScanReport } from '../contract/order-view.ts';
import type { PreparedView } from '../contract/prepared-view.ts';
import { UpdateRequest, type UpdateView } from '../contract/update-view.ts';
import type { DeskStorage, KeptOrder } from '../storage/desk-storage.ts';
import { checkJson, checkUpdate } from './check-json.ts';
import { limitBody } from './limit-body.ts';
import { refuse } from './refuse.ts';
import { reportRefusal } from './report-update.ts';
import { scanOrder } from './scan-order.ts';
import type { UpdateDesk } from './update-desk.ts';
import { viewOrder } from './view-order.ts';
import { viewPrepared } from './view-prepared.ts';
import { webhookUrlOf } from './webhook-url.ts';

/** The largest body that is read, in bytes: a cart of 500 lines has about a tenth of it. */
const maxUpdateBytes = 1_048_576;

export interface OrderRoutesOptions {
  readonly storage: Pick<DeskStorage, 'orders' | 'updates' | 'events'>;
  readonly desk: Pick<UpdateDesk, 'submit'>;
  readonly orders: Pick<OrdersClient, 'prepareUpdateOrder'>;
  /** The order service when it is the desk's own. @default undefined: it is another's */
  readonly service?: Pick<MockOrderService, 'order' | 'webhooks'> | undefined;
  /** Where the order service reaches this desk, without a trailing slash. */
  readonly publicUrl: string;
  /**
   * What this desk lets through; make it with `defineOrderUpdate` to let through less than the page does.
   * @default DeskUpdate
   */
  readonly schema?: OrderUpdateSchema;
  readonly now?: () => Date;
}

/** The JSON API under `/api/orders`. */
export function orderRoutes(options: OrderRoutesOptions): Hono<{ Variables: { order: KeptOrder } }> {
  const { storage, desk, orders, service, publicUrl, schema = DeskUpdate, now = () => new Date() } = options;
  const routes = new Hono<{ Variables: { order: KeptOrder } }>();
  routes.use(limitBody(maxUpdateBytes));

  routes.get('/', async (c) => c.json<OrderList>({ orders: [...(await storage.orders.list())] }));

  routes.use('/:token/*', async (c, next) => {
    const token = OrderToken.safeParse(c.req.param('token'));
    const order = token.success ? await storage.orders.find(token.data) : undefined;
    if (!order) return refuse(c, 404, { code: 'unknown_order', message: 'This desk knows no such order.' });
    c.set('order', order);
    return next();
  });

  routes.get('/:token', async (c) => c.json<OrderView>(await viewOrder(storage, c.var.order, publicUrl)));

  routes.put('/:token/draft', checkJson(DraftRequest), async (c) => {
    await storage.orders.saveDraft(c.var.order.token, c.req.valid('json').draft);
    return c.body(null, 204);
  });

  routes.post('/:token/prepare', checkUpdate(schema, now), (c) =>
    c.json<PreparedView>(viewPrepared(orders.prepareUpdateOrder(c.var.order.token, c.req.valid('json')))),
  );

  routes.post('/:token/updates', checkJson(UpdateRequest), async (c) => {
    const { id, update } = c.req.valid('json');
    const checked = schema.safeParse(update);
    if (!checked.success) return c.json(reportRefusal(explain(checked.error), now()), 422);
    const accepted = await desk.submit({ id, token: c.var.order.token, body: checked.data });
    return c.json<UpdateView>(accepted, 202);
  });

  routes.post('/:token/scan', async (c) => {
    const { token } = c.var.order;
    const webhookUrl = webhookUrlOf(publicUrl, c.var.order);
    return c.json<ScanReport>(await scanOrder({ service, token, webhookUrl }));
  });
  return routes;
}
