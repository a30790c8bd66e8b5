import type { Outbox } from '@orders/outbox';
import { Hono } from 'hono';
import type { OutboxView } from '../contract/outbox-view.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';

/** How many waiting updates a response lists. */
const maxWaiting = 100;

export interface OutboxRoutesOptions {
  readonly storage: Pick<DeskStorage, 'updates'>;
  readonly outbox: Pick<Outbox, 'status'>;
}

/** The JSON API under `/api/outbox`. */
export function outboxRoutes({ storage: { updates }, outbox }: OutboxRoutesOptions): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    const [status, waiting] = await Promise.all([outbox.status(), updates.listWaiting(maxWaiting)]);
    const { queued, sending, needsReview, rejected } = status.updates;
    return c.json<OutboxView>({
      counts: { queued, sending, needsReview, rejected },
      service: status.service.state,
      ...(status.pausedUntil && { pausedUntil: status.pausedUntil.toISOString() }),
      waiting: [...waiting],
    });
  });
  return routes;
}
