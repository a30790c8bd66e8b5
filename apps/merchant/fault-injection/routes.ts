import { randomUUID } from 'node:crypto';
import type { Sql } from '@orders/outbox';
import type { FaultRule, MockOrderService } from '@orders/testing';
import { Hono } from 'hono';
import type { AppParts } from '../server/app.ts';
import { isoTime, rowsOf } from '../server/database.ts';
import { ApiError, checkJson } from '../server/errors.ts';
import { latestBody, listOrders } from '../server/stored-orders.ts';
import { enqueueUpdates } from '../server/updates.ts';
import { BurstRequest, FaultSetting, ScanRequest } from '../shared/api.ts';
import type { ShopUpdate } from '../shared/order-update.ts';

export interface FaultInjectionParts extends Pick<AppParts, 'store' | 'outbox' | 'events' | 'webhookUrl'> {
  readonly service: MockOrderService<ShopUpdate>;
  readonly faults: Faults;
}

/** What the mock service does to requests. */
export interface Faults {
  setting: FaultSetting;
}

/** The routes under `/api/fault-injection`: they make the mock service fail, and give the app something to send. */
export function faultInjectionRoutes(parts: FaultInjectionParts) {
  const { store, outbox, events, webhookUrl, service, faults } = parts;
  return new Hono()
    .get('/', (c) => c.json(faults.setting))
    .put('/', checkJson(FaultSetting), (c) => {
      faults.setting = c.req.valid('json');
      service.faults.clear();
      for (const rule of faultRules(faults.setting)) service.faults.add(rule);
      events.changed();
      return c.json(faults.setting);
    })
    .post('/burst', checkJson(BurstRequest), async (c) => {
      const { orders: count, updates } = c.req.valid('json');
      const tokens = (await listOrders(store, { limit: count })).map(({ token }) => token);
      const ids = Array.from({ length: updates }, () => randomUUID());
      for (const [index, id] of ids.entries()) {
        const token = tokens[index % tokens.length] ?? service.token;
        const open = await outbox.list({
          states: ['queued', 'sending', 'needs_review'],
          token,
          limit: 2_000,
        });
        const ids = open.map((update) => update.id);
        await store.transaction(async (tx) =>
          enqueueUpdates(outbox, tx, [
            { id, token, update: await latestBody(tx, token, ids), source: 'burst' },
          ]),
        );
        events.changed();
      }
      return c.json({ ids }, 202);
    })
    .post('/scan', checkJson(ScanRequest), async (c) => {
      const { token } = c.req.valid('json');
      if (service.order(token)?.data.hooks?.webhook_url !== webhookUrl(token))
        throw new ApiError(
          409,
          'no_webhook',
          'The order service does not know this webhook URL: send an update with it first.',
        );
      const { delivered, status, error } = await service.webhooks.send('start_qr_session', { token });
      if (delivered) return c.body(null, 204);
      throw new ApiError(502, 'not_delivered', `The webhook was not delivered: ${status ?? error}.`);
    })
    .get('/outcomes', async (c) => c.json({ slots: await countOutcomes(store) }));
}

export type FaultInjectionType = ReturnType<typeof faultInjectionRoutes>;

/** A service that is unavailable fails the echo too; the other scenarios concern updates alone. */
function faultRules({ scenario, percent }: FaultSetting): readonly FaultRule[] {
  if (scenario === 'healthy') return [];
  if (scenario === 'down') return [{ when: 'always', fault: 'down' }];
  const updatesOnly = scenario === 'unavailable' ? {} : { operation: 'update' as const };
  return [{ when: 'sometimes', fault: scenario, probability: percent / 100, seed: 1, ...updatesOnly }];
}

/** What became of updates in the last five minutes, in slots of ten seconds. */
function countOutcomes(sql: Sql) {
  return rowsOf<{ at: string; applied: number; rejected: number; needs_review: number }>(
    sql,
    `select ${isoTime('slot')} as at,
       count(*) filter (where state = 'applied')::int as applied,
       count(*) filter (where state = 'rejected')::int as rejected,
       count(*) filter (where state = 'needs_review')::int as needs_review
     from generate_series(date_bin('10 s', now(), 'epoch') - interval '290 s', now(), '10 s') as slot
     left join (
       select state, date_bin('10 s', at, 'epoch') as slot from merchant.updates where at > now() - interval '300 s'
     ) as settled using (slot)
     group by slot order by slot`,
  );
}
