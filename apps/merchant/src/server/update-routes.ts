import { Hono } from 'hono';
import * as z from 'zod/mini';
import { DecisionRequest, type UpdateView } from '../contract/update-view.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { checkJson } from './check-json.ts';
import { limitBody } from './limit-body.ts';
import { refuse } from './refuse.ts';
import type { UpdateDesk } from './update-desk.ts';

/** How many updates that wait for a person are told at once. */
const maxUndecided = 200;

type FoundUpdate = NonNullable<Awaited<ReturnType<DeskStorage['updates']['find']>>>;

export interface UpdateRoutesOptions {
  readonly storage: Pick<DeskStorage, 'updates'>;
  readonly desk: Pick<UpdateDesk, 'decide'>;
}

/** The JSON API under `/api/updates`. */
export function updateRoutes({
  storage: { updates },
  desk,
}: UpdateRoutesOptions): Hono<{ Variables: { found: FoundUpdate } }> {
  const routes = new Hono<{ Variables: { found: FoundUpdate } }>();
  routes.use(limitBody(1024));

  routes.get('/undecided', async (c) => c.json({ updates: await updates.listUndecided(maxUndecided) }));

  routes.use('/:id/*', async (c, next) => {
    const id = z.uuid().safeParse(c.req.param('id'));
    const found = id.success ? await updates.find(id.data) : undefined;
    if (!found) return refuse(c, 404, { code: 'unknown_update', message: 'This desk knows no such update.' });
    c.set('found', found);
    return next();
  });

  routes.get('/:id', (c) => {
    const { body, ...update } = c.var.found;
    return c.json({ update, body });
  });

  routes.post('/:id/decision', checkJson(DecisionRequest), async (c) => {
    const { decision, round } = c.req.valid('json');
    const decided = await desk.decide(c.var.found.id, decision, round);
    return decided
      ? c.json<UpdateView>(decided)
      : refuse(c, 409, { code: 'nothing_to_decide', message: 'This update waits for nobody’s decision.' });
  });
  return routes;
}
