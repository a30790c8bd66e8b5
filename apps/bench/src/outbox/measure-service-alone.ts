import { startChild } from '../child/start-child.ts';

/** What the service takes with no queue before it. */
export interface ServiceAlone {
  /** Updates in a second. */
  readonly perSecond: number;
  /** CPU time of the sender for an update, in milliseconds. */
  readonly cpuMs: number;
}

/** Who sends: the fastest client there is, to see what the service takes, or ours, to see what sending alone costs. */
export type Sender = 'dispatch' | 'ours';

/** Sends updates straight to an order service of its own, as many at once as the queues do. */
export async function measureServiceAlone(
  sender: Sender,
  { updates, inFlight }: { readonly updates: number; readonly inFlight: number },
): Promise<ServiceAlone> {
  await using service = await startChild('orderService', []);
  await using peer = await startChild('peer', [sender, await service.call('url')]);
  const { wallMs, cpuMs } = await peer.call('turn', { lines: 2, requests: updates, concurrency: inFlight });
  await peer.call('close');
  return { perSecond: (updates * 1_000) / wallMs, cpuMs: cpuMs / updates };
}
