import { type Child, startChild } from '../child/start-child.ts';
import type { BenchSettings } from './bench-settings.ts';
import { type Progress, throughEach } from './progress.ts';
import { alternate, turnsOfRound } from './rounds.ts';

/** Updates in a second, in each round. */
export interface ServiceRounds {
  /** The order service, with ledger and journal. */
  readonly service: readonly number[];
  /** A bare `node:http` server that reads each request and answers all alike. */
  readonly bare: readonly number[];
}

/** Who sends: the fastest client of this benchmark, or nobody at all but sockets with updates made beforehand. */
export type ServiceLoad = 'dispatch' | 'sockets';

interface Sent {
  readonly answers: number;
  readonly wallMs: number;
}

type Name = keyof ServiceRounds;
type Send = (url: string, durationMs: number) => Promise<Sent>;

/** Measures how many updates the order service takes, beside a server that does as little as HTTP allows. */
export async function measureService(
  settings: BenchSettings,
  bare: Child<'server'>,
  progress: Progress,
): Promise<Record<ServiceLoad, ServiceRounds>> {
  await using service = await startChild('orderService', []);
  const urls = { service: await service.call('url'), bare: await bare.call('url') };
  const { concurrency, roundMs, warmUpMs, rounds } = settings;

  const measure = async (title: string, send: Send): Promise<ServiceRounds> => {
    const sendTo = async (name: Name, durationMs: number): Promise<Sent> => {
      const sent = await send(urls[name], durationMs);
      const counted = name === 'service' ? await service.call('reset') : await bare.call('takeCount');
      if (counted !== sent.answers)
        throw new Error(`${name}: ${counted} of ${sent.answers} updates counted.`);
      return sent;
    };
    for (const name of ['service', 'bare'] as const) await sendTo(name, warmUpMs);
    const turns: Record<Name, Sent[]> = { service: [], bare: [] };
    const order = alternate<Name>(['service', 'bare'], rounds * turnsOfRound);
    await throughEach(progress, title, order, async (name) => {
      turns[name].push(await sendTo(name, roundMs / 2));
    });
    return { service: perSecond(turns.service), bare: perSecond(turns.bare) };
  };

  await using load = await startChild('load', []);
  await using toService = await startChild('peer', ['dispatch', urls.service]);
  await using toBare = await startChild('peer', ['dispatch', urls.bare]);
  const peers = new Map([
    [urls.service, createPeerLoad(toService, concurrency)],
    [urls.bare, createPeerLoad(toBare, concurrency)],
  ]);
  const dispatch = await measure('the order service, by bare dispatch', async (url, durationMs) => {
    const send = peers.get(url);
    if (send === undefined) throw new Error(`Nobody sends to ${url}.`);
    return send(durationMs);
  });
  const sockets = await measure('the order service, over bare sockets', (url, durationMs) =>
    load.call('send', { url, connections: concurrency, durationMs }),
  );
  return { dispatch, sockets };
}

/** Sends as many updates as the last time took about so long. */
function createPeerLoad(peer: Child<'peer'>, concurrency: number): (durationMs: number) => Promise<Sent> {
  let perMs = 1;
  return async (durationMs) => {
    const requests = Math.max(concurrency, Math.round(durationMs * perMs));
    const { wallMs } = await peer.call('turn', { lines: 2, requests, concurrency });
    perMs = requests / wallMs;
    return { answers: requests, wallMs };
  };
}

/** Neighbouring turns put together to rounds. */
function perSecond(turns: readonly Sent[]): number[] {
  return Array.from({ length: turns.length / turnsOfRound }, (_, round) => {
    const own = turns.slice(round * turnsOfRound, (round + 1) * turnsOfRound);
    const sum = (field: keyof Sent): number => own.reduce((total, turn) => total + turn[field], 0);
    return (sum('answers') * 1_000) / sum('wallMs');
  });
}
