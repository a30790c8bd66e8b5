import { type Child, startChild } from '../child/start-child.ts';
import type { BenchSettings } from './bench-settings.ts';
import type { Load } from './load-role.ts';
import { type Progress, throughEach } from './progress.ts';
import { alternate, turnsOfRound } from './rounds.ts';

/** Updates in a second, in each round. */
export interface ServiceRounds {
  /** The order service, with ledger and journal. */
  readonly service: readonly number[];
  /** A bare `node:http` server that reads each request and answers all alike. */
  readonly bare: readonly number[];
}

type Name = keyof ServiceRounds;

/** Measures how many updates the order service takes, beside a server that does as little as HTTP allows. */
export async function measureService(
  settings: BenchSettings,
  bare: Child<'server'>,
  progress: Progress,
): Promise<ServiceRounds> {
  await using service = await startChild('orderService', []);
  await using load = await startChild('load', []);
  const urls = { service: await service.call('url'), bare: await bare.call('url') };
  const { concurrency: connections, roundMs, warmUpMs, rounds } = settings;
  const send = async (name: Name, durationMs: number): Promise<Load> => {
    const sent = await load.call('send', { url: urls[name], connections, durationMs });
    const counted = name === 'service' ? await service.call('reset') : await bare.call('takeCount');
    if (counted !== sent.answers) throw new Error(`${name}: ${counted} of ${sent.answers} updates counted.`);
    return sent;
  };
  for (const name of ['service', 'bare'] as const) await send(name, warmUpMs);
  const turns: Record<Name, Load[]> = { service: [], bare: [] };
  const order = alternate<Name>(['service', 'bare'], rounds * turnsOfRound);
  await throughEach(progress, 'the order service', order, async (name) => {
    turns[name].push(await send(name, roundMs));
  });
  return { service: perSecond(turns.service), bare: perSecond(turns.bare) };
}

/** Neighbouring turns put together to rounds. */
function perSecond(turns: readonly Load[]): number[] {
  return Array.from({ length: turns.length / turnsOfRound }, (_, round) => {
    const own = turns.slice(round * turnsOfRound, (round + 1) * turnsOfRound);
    const sum = (field: keyof Load): number => own.reduce((total, turn) => total + turn[field], 0);
    return (sum('answers') * 1_000) / sum('wallMs');
  });
}
