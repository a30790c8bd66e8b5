import { sValidator } from '@hono/standard-validator';
import { explain, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { KnownOrderList } from '../contract/known-order.ts';
import type { KnownOrders } from './known-orders.ts';
import { refuse } from './refuse.ts';
import { reportRefusal } from './report-update.ts';
import type { SendUpdate } from './update-sender.ts';

/** The largest update that is read, in bytes: a cart of 500 lines has about a tenth of it. */
const maxUpdateBytes = 1_048_576;

export interface OrderRoutesOptions {
  readonly knownOrders: KnownOrders;
  readonly sendUpdate: SendUpdate;
  /**
   * What this desk lets through; make it with `defineOrderUpdate` to let through less than the page does.
   * @default OrderUpdate
   */
  readonly schema?: OrderUpdateSchema;
  readonly now?: () => Date;
}

/** The JSON API under `/api/orders`. */
export function orderRoutes(options: OrderRoutesOptions): Hono {
  const { knownOrders, sendUpdate, schema = OrderUpdate, now = () => new Date() } = options;
  const routes = new Hono();

  routes.get('/', async (c) => c.json<KnownOrderList>({ orders: [...(await knownOrders.list())] }));

  routes.post(
    '/:token/update',
    bodyLimit({
      maxSize: maxUpdateBytes,
      onError: (c) =>
        refuse(c, 413, { code: 'too_large', message: `An update has at most ${maxUpdateBytes} bytes.` }),
    }),
    sValidator('json', schema, (checked, c) =>
      checked.success ? undefined : c.json(reportRefusal(explain({ issues: checked.error }), now()), 422),
    ),
    async (c) => {
      const order = await knownOrders.find(c.req.param('token'));
      if (!order) return refuse(c, 404, { code: 'unknown_order', message: 'This desk knows no such order.' });
      const report = await sendUpdate(order.token, c.req.valid('json'));
      return c.json(report, report.error?.issues ? 422 : 200);
    },
  );
  return routes;
}
