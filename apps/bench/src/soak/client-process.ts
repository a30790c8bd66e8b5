/** The client of a soak, in a process of its own. */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createOrdersClient, type Outcome } from '@orders/client';
import { apiKey, heldMemory, orderTokens, updateAt } from '../workload.ts';

export function start({ baseUrl, concurrency }: { readonly baseUrl: string; readonly concurrency: number }) {
  const sockets = countSockets();
  // What stalls must not hold up the soak.
  const orders = createOrdersClient({ baseUrl, apiKey, timeouts: { attempt: 500, total: 20_000 } });
  return {
    /** Sends updates and returns every outcome, by index and as often as it was reported. */
    async run(from: number, count: number) {
      const outcomes = Array.from({ length: count }, (): Outcome[] => []);
      for await (const result of orders.updateOrders(updatesFrom(from, count), { concurrency })) {
        outcomes[result.index]?.push(result.outcome);
      }
      return { outcomes, sockets: sockets(), ...(await heldMemory()) };
    },
    /** Closes the client; returns how many sockets are left. */
    async close(): Promise<number> {
      await orders.close();
      await nextTurn();
      return sockets();
    },
  };
}

function* updatesFrom(from: number, count: number) {
  for (let index = from; index < from + count; index += 1) {
    yield { token: orderTokens[index % orderTokens.length] ?? '', update: updateAt(index) };
  }
}

/** Counts open sockets to others. The list of active resources leaves out those that wait for the next request. */
function countSockets(): () => number {
  let open = 0;
  subscribe('net.client.socket', (message) => {
    open += 1;
    (message as { readonly socket: Socket }).socket.once('close', () => (open -= 1));
  });
  return () => open;
}
