import { setImmediate as nextTurn } from 'node:timers/promises';
import { createOrdersClient, type Outcome } from '@orders/client';
import { type HeldMemory, heldMemory } from '../workload/held-memory.ts';
import { countSockets } from './count-sockets.ts';
import { outcomeCodes } from './outcome-codes.ts';
import { soakKey, tokenOf, updateOf } from './soak-workload.ts';

/** Which updates a leg sends. */
export interface LegOrder {
  readonly from: number;
  readonly count: number;
  readonly concurrency: number;
}

/** What the client knows of a leg. */
export interface ClientRecord {
  /** For each update of the leg, its place in `outcomeCodes`. */
  readonly outcomes: Uint8Array;
  /** Calls that settled more than once. */
  readonly repeated: number;
  readonly held: HeldMemory;
  readonly sockets: number;
}

/** Makes a client ready that gives up on an attempt soon, so that what stalls does not hold up the soak. */
export async function startSoakerRole(baseUrl: string) {
  const openSockets = countSockets();
  const orders = createOrdersClient({ baseUrl, apiKey: soakKey, timeouts: { attempt: 500, total: 20_000 } });
  return {
    async run({ from, count, concurrency }: LegOrder): Promise<ClientRecord> {
      const outcomes = new Uint8Array(count);
      let repeated = 0;
      for await (const result of orders.updateOrders(updatesFrom(from, count), { concurrency })) {
        const outcome: Outcome = result.ok ? 'applied' : result.error.outcome;
        if (outcomes[result.index] !== 0) repeated += 1;
        outcomes[result.index] = outcomeCodes.indexOf(outcome);
      }
      return { outcomes, repeated, held: await heldMemory(), sockets: openSockets() };
    },
    /** Closes the client and tells how many sockets are left. */
    async close(): Promise<number> {
      await orders.close();
      // A socket tells that it is closed in a turn of its own.
      await nextTurn();
      return openSockets();
    },
  };
}

function* updatesFrom(from: number, count: number) {
  for (let index = from; index < from + count; index++) {
    yield { token: tokenOf(index), update: updateOf(index) };
  }
}
