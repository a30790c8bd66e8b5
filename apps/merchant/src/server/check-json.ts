import { sValidator } from '@hono/standard-validator';
import { explain, type OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import type { Env, Handler } from 'hono';
import type * as z from 'zod/mini';
import { refuse } from './refuse.ts';
import { reportRefusal } from './report-update.ts';

/** Hands on a body of this type as `c.req.valid('json')`. */
type CheckedJson<Body> = Handler<Env, string, { in: { json: Body }; out: { json: Body } }>;

/** Lets a body through that has the shape the page and the server agreed on; any other is a 400. */
export function checkJson<Body>(schema: z.ZodMiniType<Body, Body>): CheckedJson<Body> {
  return sValidator('json', schema, (checked, c) => {
    if (checked.success) return undefined;
    const [issue] = explain({ issues: checked.error });
    return refuse(c, 400, { code: 'bad_request', message: `${issue?.path || 'body'}: ${issue?.message}` });
  });
}

/** Lets a body through that is an order update; any other is a 422 that explains every issue. */
export function checkUpdate(schema: OrderUpdateSchema, now: () => Date): CheckedJson<OrderUpdate> {
  return sValidator('json', schema, (checked, c) =>
    checked.success ? undefined : c.json(reportRefusal(explain({ issues: checked.error }), now()), 422),
  );
}
