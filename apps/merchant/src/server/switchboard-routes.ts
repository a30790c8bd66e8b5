import { randomUUID } from 'node:crypto';
import { sValidator } from '@hono/standard-validator';
import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import type { LaneEvents, NumberedEvent } from '../contract/desk-event.ts';
import {
  type BurstAnswer,
  BurstRequest,
  type MeasuredAttempt,
  type MeasuredAttempts,
  SwitchboardSetting,
  type SwitchboardView,
} from '../contract/switchboard-view.ts';
import type { DeskStorage, KeptOrder } from '../storage/desk-storage.ts';
import { checkJson } from './check-json.ts';
import { limitBody } from './limit-body.ts';
import { refuse } from './refuse.ts';
import { createSwitchboard, type SwitchboardOptions } from './switchboard.ts';
import type { UpdateDesk } from './update-desk.ts';

export interface SwitchboardRoutesOptions extends SwitchboardOptions {
  readonly storage: Pick<DeskStorage, 'orders' | 'events'>;
  readonly desk: Pick<UpdateDesk, 'submit'>;
  /** @default () => new Date() */
  readonly now?: () => Date;
}

/** How many attempts the chart is told of at most: the newest. */
const maxAttempts = 2000;
/** How many open updates the lanes are told of at most, and as many that are done: how long those are shown. */
const maxInLanes = 500;
const shownMs = 60_000;

const AttemptsQuery = z.object({
  minutes: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(60)), 5),
});

/** The JSON API under `/api/switchboard`. */
export function switchboardRoutes(options: SwitchboardRoutesOptions): Hono {
  const { storage, desk, service, now = () => new Date() } = options;
  const switchboard = createSwitchboard(options);
  const routes = new Hono();
  const limit = limitBody(1024);

  routes.get('/', (c) => c.json<SwitchboardView>(switchboard.view()));

  routes.put('/', limit, checkJson(SwitchboardSetting), async (c) => {
    const view = await switchboard.set(c.req.valid('json'));
    return view ? c.json<SwitchboardView>(view) : refuseOther(c);
  });

  routes.post('/burst', limit, checkJson(BurstRequest), async (c) => {
    if (!service) return refuseOther(c);
    const { orders: count, updates } = c.req.valid('json');
    const orders = await findOrders(count);
    if (orders.length === 0)
      return refuse(c, 409, { code: 'no_orders', message: 'This desk knows no order to update.' });
    const ids: string[] = [];
    // Round by round, so that the lanes run beside each other from the start.
    for (let round = 0; round < updates; round++) {
      for (const { token, body } of orders) {
        const { id } = await desk.submit({ id: randomUUID(), token, body });
        ids.push(id);
      }
    }
    return c.json<BurstAnswer>({ ids }, 202);
  });

  routes.get('/lanes', async (c) => {
    const events = await storage.events.ofLanes(new Date(now().getTime() - shownMs), maxInLanes);
    return c.json<LaneEvents>({ events: [...events] });
  });

  routes.get('/attempts', sValidator('query', AttemptsQuery, refuseBad), async (c) => {
    const since = new Date(now().getTime() - c.req.valid('query').minutes * 60_000);
    const events = await storage.events.since('attempt_ended', since, maxAttempts);
    return c.json<MeasuredAttempts>({ attempts: events.flatMap(measure) });
  });
  return routes;

  async function findOrders(count: number): Promise<readonly KeptOrder[]> {
    const summaries = (await storage.orders.list()).slice(0, count);
    const orders = await Promise.all(summaries.map(({ token }) => storage.orders.find(token)));
    return orders.filter((order) => order !== undefined);
  }
}

function refuseBad({ success }: { readonly success: boolean }, c: Context): Response | undefined {
  if (success) return undefined;
  return refuse(c, 400, { code: 'bad_request', message: 'The switchboard cannot be asked that.' });
}

function refuseOther(c: Context): Response {
  const message =
    'The order service is not the desk’s own, so it is neither made to fail nor sent bursts. Start the desk without --base-url.';
  return refuse(c, 409, { code: 'not_own_service', message });
}

function measure({ at, event }: NumberedEvent): readonly MeasuredAttempt[] {
  if (event.kind !== 'attempt_ended') return [];
  const { token, durationMs, outcome, status } = event;
  return [{ at, token, durationMs, outcome, ...(status === undefined ? {} : { status }) }];
}
