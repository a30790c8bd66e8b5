import { startMockOrderService } from '@orders/testing';
import { orderTokens } from '../workload/order-tokens.ts';
import { soakFaults, soakRestart } from './soak-faults.ts';
import { indexOf, soakKey } from './soak-workload.ts';

/** What the service knows of a leg of the soak. */
export interface ServiceRecord {
  /** The updates that were applied, in that order. */
  readonly applied: Uint32Array;
  /** How often each fault was met. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Starts a service that fails one of so many requests, and goes down once. */
export async function startFaultyServiceRole(port: number, faultEvery: number, seed: number) {
  const service = await startMockOrderService({ port, keys: [soakKey], orders: orderTokens });
  service.faults.next({ type: 'none' }, { times: 200 });
  service.faults.next(soakRestart);
  service.faults.sometimes(soakFaults, { probability: 1 / faultEvery, seed });
  return {
    url: () => service.url,
    async finish(): Promise<ServiceRecord> {
      // Closing first: what is on its way may still be applied until then.
      await service.close();
      const applied = Uint32Array.from(service.ledger, ({ body }) => indexOf(body));
      const faults: Record<string, number> = {};
      for (const { fault } of service.faults.played) faults[fault.type] = (faults[fault.type] ?? 0) + 1;
      return { applied, faults };
    },
  };
}
