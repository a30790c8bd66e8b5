import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** The JSON of every answer of the desk that is neither data nor a report of an update. */
export interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}

/** Answers that the desk did not do what was asked; a code never changes its meaning. */
export function refuse(c: Context, status: ContentfulStatusCode, error: Refusal['error']): Response {
  return c.json<Refusal>({ error }, status);
}
