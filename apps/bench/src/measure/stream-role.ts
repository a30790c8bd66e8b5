import { createOrdersClient } from '@orders/client';
import { buildUpdate } from '../workload/build-update.ts';
import { type HeldMemory, heldMemory } from '../workload/held-memory.ts';
import { orderTokens } from '../workload/order-tokens.ts';

export interface StreamOrder {
  readonly updates: number;
  readonly concurrency: number;
  /** How many updates apart to look at the memory. */
  readonly every: number;
}

/** What a stream of updates held in memory. */
export interface StreamMemory {
  readonly start: HeldMemory;
  /** At each `every` updates. */
  readonly held: readonly HeldMemory[];
  readonly applied: number;
}

/** Makes a client ready to stream updates, in this process alone. */
export async function startStreamRole(baseUrl: string) {
  const orders = createOrdersClient({ baseUrl, apiKey: 'bench-key' });
  return {
    async stream({ updates, concurrency, every }: StreamOrder): Promise<StreamMemory> {
      const start = await heldMemory();
      const held: HeldMemory[] = [];
      let applied = 0;
      let settled = 0;
      for await (const result of orders.updateOrders(countedUpdates(updates), { concurrency })) {
        settled += 1;
        if (result.ok) applied += 1;
        if (settled % every === 0) held.push(await heldMemory());
      }
      return { start, held, applied };
    },
    close: (): Promise<void> => orders.close(),
  };
}

/** Each update is made when it is asked for, as one that comes out of a database is. */
function* countedUpdates(count: number) {
  for (let index = 0; index < count; index++) {
    const token = orderTokens[index % orderTokens.length] ?? '';
    yield { token, update: { ...buildUpdate(2), order_id: `merchant-order-${index}` } };
  }
}
