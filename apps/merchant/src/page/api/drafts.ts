import type { OrderForm } from '../form/order-form.ts';
import { jsonRequest, requestNothing } from './request.ts';

/** The most bytes that a browser sends of a page that is going away. */
const maxKeptAlive = 60_000;

/**
 * Has the desk's server keep what was typed, or forget it.
 *
 * @throws {DeskProblem} When it did not.
 */
export function saveDraft(token: string, draft: OrderForm | null): Promise<void> {
  const request = jsonRequest('PUT', { draft });
  // Characters are at most three bytes each.
  const isSmall = String(request.body).length * 3 < maxKeptAlive;
  return requestNothing(`/api/orders/${encodeURIComponent(token)}/draft`, { ...request, keepalive: isSmall });
}
