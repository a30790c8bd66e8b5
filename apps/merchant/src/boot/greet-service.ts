import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isOrdersError, type OrdersClient } from '@orders/client';
import type { OpenDesk } from './open-desk.ts';

/** What became of one call that the desk makes when it starts. */
export interface Greeting {
  readonly call: 'echo' | 'update';
  readonly ok: boolean;
  /** The outcome in a few words. */
  readonly outcome: string;
  readonly attempts: number;
  readonly status?: number;
}

/** How long an update in the outbox is waited for, in milliseconds. */
const patienceMs = 3_000;

/** Asks the order service to echo, and sends an update where that changes no real order. */
export async function* greetService(desk: OpenDesk): AsyncGenerator<Greeting> {
  const { orders, service, signal } = desk;
  yield await echo(orders, signal);
  const [token] = service.tokens;
  if (service.isOwn && token !== undefined && !signal.aborted) yield await update(desk, token);
}

/** Sends an order as the desk knows it. */
async function update(desk: OpenDesk, token: string): Promise<Greeting> {
  const { updates, storage } = desk;
  const body = (await storage.orders.find(token))?.body ?? { cart: {} };
  const { id } = await updates.submit({ id: randomUUID(), token, body });
  const settled = await settledInTime(desk, id);
  if (!settled) return { call: 'update', ok: true, outcome: 'waits in the outbox for its turn', attempts: 0 };
  const { ok, outcome, attempts, status, error } = settled.report;
  return {
    call: 'update',
    ok,
    outcome: error ? `${outcome}: ${error.message}` : `${outcome} to ${token}`,
    attempts,
    ...(status === undefined ? {} : { status }),
  };
}

/** In the outbox there may be others before it, or one that a person must decide about. */
async function settledInTime({ updates, sendsThrough, signal }: OpenDesk, id: string) {
  const settled = updates.settled(id);
  if (sendsThrough === 'client') return settled;
  const overdue = delay(patienceMs, undefined, { signal, ref: false }).catch(() => undefined);
  return Promise.race([settled, overdue]);
}

async function echo(orders: Pick<OrdersClient, 'echo'>, signal: AbortSignal): Promise<Greeting> {
  try {
    const { status, attemptCount } = await orders.echo({ signal });
    return { call: 'echo', ok: true, outcome: 'the key is accepted', attempts: attemptCount, status };
  } catch (error) {
    if (!isOrdersError(error)) throw error;
    const { message, attemptCount } = error;
    return {
      call: 'echo',
      ok: false,
      outcome: message,
      attempts: attemptCount,
      ...('status' in error ? { status: error.status } : {}),
    };
  }
}
