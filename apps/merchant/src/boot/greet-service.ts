import { randomUUID } from 'node:crypto';
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

/** Asks the order service to echo, and sends an update where that changes no real order. */
export async function* greetService(desk: OpenDesk): AsyncGenerator<Greeting> {
  const { orders, service, signal } = desk;
  yield await echo(orders, signal);
  const [token] = service.tokens;
  if (service.isOwn && token !== undefined && !signal.aborted) yield await update(desk, token);
}

/** Sends an order as the desk knows it. */
async function update({ updates, storage }: OpenDesk, token: string): Promise<Greeting> {
  const body = (await storage.orders.find(token))?.body ?? { cart: {} };
  const { id } = await updates.submit({ id: randomUUID(), token, body });
  const { ok, outcome, attempts, status, error } = (await updates.settled(id)).report;
  return {
    call: 'update',
    ok,
    outcome: error ? `${outcome}: ${error.message}` : `${outcome} to ${token}`,
    attempts,
    ...(status === undefined ? {} : { status }),
  };
}

async function echo(
  orders: Pick<OrdersClient, 'echoWithPrivateKey'>,
  signal: AbortSignal,
): Promise<Greeting> {
  try {
    const { status, attempts } = await orders.echoWithPrivateKey({ signal });
    return { call: 'echo', ok: true, outcome: 'the key is accepted', attempts, status };
  } catch (error) {
    if (!isOrdersError(error)) throw error;
    const { message, attempts } = error;
    return {
      call: 'echo',
      ok: false,
      outcome: message,
      attempts,
      ...('status' in error ? { status: error.status } : {}),
    };
  }
}
