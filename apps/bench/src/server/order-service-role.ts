import { startMockOrderService } from '@orders/testing';
import { orderTokens } from '../workload/order-tokens.ts';

/** The key that the load is sent with. */
export const loadKey = 'bench-key';

/** Starts the order service as a test does: ledger and journal keep all that comes. */
export async function startMockOrderServiceRole() {
  const service = await startMockOrderService({ keys: [loadKey], orders: orderTokens });
  return {
    url: () => service.url,
    /** Forgets what came, and tells how many updates the ledger held. */
    reset(): number {
      const applied = service.ledger.length;
      service.reset();
      return applied;
    },
  };
}
