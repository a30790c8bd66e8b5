import process from 'node:process';
import { isPeerName, peerList } from '../peers/peer-list.ts';
import { buildUpdate } from '../workload/build-update.ts';
import { orderTokens } from '../workload/order-tokens.ts';
import { runConcurrently } from '../workload/run-concurrently.ts';
import type { Usage } from './rounds.ts';

/** What one turn is to do. */
export interface TurnOrder {
  readonly lines: number;
  readonly requests: number;
  readonly concurrency: number;
}

/** Makes one peer ready to send updates, in this process alone. */
export async function startPeerRole(name: string, baseUrl: string) {
  if (!isPeerName(name)) throw new TypeError(`There is no peer ${JSON.stringify(name)}.`);
  const { createPeer } = await peerList[name].load();
  const peer = createPeer({ baseUrl, apiKey: 'bench-key' });
  const carts = new Map<number, ReturnType<typeof buildUpdate>>();
  const updateOf = (lines: number) => {
    const update = carts.get(lines) ?? buildUpdate(lines);
    carts.set(lines, update);
    return update;
  };

  return {
    /** Sends one update and tells the answer. */
    probe: (lines: number): Promise<unknown> => peer.send(orderTokens[0] ?? '', updateOf(lines)),
    async turn({ lines, requests, concurrency }: TurnOrder): Promise<Usage> {
      const update = updateOf(lines);
      const startedAt = performance.now();
      const cpuBefore = process.cpuUsage();
      await runConcurrently(requests, concurrency, (index) =>
        peer.send(orderTokens[index % orderTokens.length] ?? '', update),
      );
      const { user, system } = process.cpuUsage(cpuBefore);
      return {
        requests,
        cpuMs: (user + system) / 1_000,
        wallMs: performance.now() - startedAt,
        peakBytes: process.resourceUsage().maxRSS * 1_024,
      };
    },
    close: (): Promise<void> => peer.close(),
  };
}
