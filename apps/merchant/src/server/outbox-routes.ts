import type { Outbox } from '@orders/outbox';
import { Hono } from 'hono';
import type { OutboxView } from '../contract/outbox-view.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';

/** How many updates that wait are told at once. */
const maxWaiting = 100;

export interface OutboxRoutesOptions {
  readonly storage: Pick<DeskStorage, 'updates'>;
  readonly outbox: Pick<Outbox, 'backlog'>;
}

/** The JSON API under `/api/outbox`. */
export function outboxRoutes({ storage: { updates }, outbox }: OutboxRoutesOptions): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    const [backlog, waiting] = await Promise.all([outbox.backlog(), updates.listWaiting(maxWaiting)]);
    const { queued, sending, parked, rejected, pausedUntil } = backlog;
    return c.json<OutboxView>({
      counts: { queued, sending, parked, dead: rejected },
      ...(pausedUntil ? { pausedUntil: pausedUntil.toISOString() } : {}),
      waiting: [...waiting],
    });
  });
  return routes;
}
