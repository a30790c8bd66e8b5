import type { Outcome } from '@orders/client';
import type * as orderService from '../order-service.ts';
import type { Target } from '../report.ts';
import { startProcess } from '../start-process.ts';
import { orderTokens } from '../workload.ts';
import type * as clientProcess from './client-process.ts';

export interface SoakSettings {
  readonly updates: number;
  /** One request in so many is faulted. */
  readonly faultEvery: number;
  /** The same seed brings the same faults, as far as requests arrive in the same sequence. */
  readonly seed: number;
}

/** What both sides saw. */
export interface SoakRecord {
  /** The outcomes that were reported of each update. */
  readonly outcomes: readonly (readonly Outcome[])[];
  /** The numbers of the updates that the services applied, in sequence. */
  readonly applied: readonly number[];
  readonly faults: Readonly<Record<string, number>>;
  /** After each leg. */
  readonly held: readonly { readonly heap: number; readonly buffers: number; readonly sockets: number }[];
  readonly socketsAfterClose: number;
}

const concurrency = 64;
/** The service keeps every body: after so many updates another one takes its place, on the same port. */
const longestLeg = 50_000;

/** Sends all updates with one client, to one service after the other. */
export async function runSoak(
  { updates, faultEvery, seed }: SoakSettings,
  progress: (sent: number) => void,
): Promise<SoakRecord> {
  const record = {
    outcomes: [] as Outcome[][],
    applied: [] as number[],
    faults: {} as Record<string, number>,
    held: [] as SoakRecord['held'][number][],
  };
  await using stack = new AsyncDisposableStack();
  const startService = (port: number, from: number) =>
    startProcess<typeof orderService>('order-service.ts', {
      orders: orderTokens.length,
      port,
      faults: { every: faultEvery, seed: seed + from },
    });
  const startClient = async (baseUrl: string) =>
    stack.use(
      await startProcess<typeof clientProcess>('soak/client-process.ts', { baseUrl, concurrency }, [
        '--expose-gc',
      ]),
    );
  let client: Awaited<ReturnType<typeof startClient>> | undefined;
  let port = 0;
  const legLength = Math.min(longestLeg, Math.ceil(updates / 2));
  for (let from = 0; from < updates; from += legLength) {
    await using service = await startService(port, from);
    const url = await service.call('url');
    port = Number(new URL(url).port);
    client ??= await startClient(url);
    const { outcomes, ...held } = await client.call('run', from, Math.min(legLength, updates - from));
    await service.call('close');
    const { applied, faults } = await service.call('record');
    record.outcomes.push(...outcomes);
    record.applied.push(...applied);
    record.held.push(held);
    for (const [type, count] of Object.entries(faults))
      record.faults[type] = (record.faults[type] ?? 0) + count;
    progress(record.outcomes.length);
  }
  return { ...record, socketsAfterClose: (await client?.call('close')) ?? 0 };
}

/** What must hold of a soak. */
export function judgeSoak({ outcomes, applied, held, socketsAfterClose }: SoakRecord): Target[] {
  const times = new Uint8Array(outcomes.length);
  const last = new Map<number, number>();
  let overtaken = 0;
  for (const index of applied) {
    times[index] = (times[index] ?? 0) + 1;
    // The updates after one of unknown outcome do not wait for it.
    if (outcomes[index]?.[0] !== 'applied') continue;
    const order = index % orderTokens.length;
    if ((last.get(order) ?? -1) > index) overtaken += 1;
    last.set(order, index);
  }
  const count = (outcome: Outcome | 'applied', isWrong: (applied: number) => boolean): number =>
    outcomes.filter((all, index) => all[0] === outcome && isWrong(times[index] ?? 0)).length;
  const growth = (part: 'heap' | 'buffers'): number =>
    ((held.at(-1)?.[part] ?? 0) - (held[0]?.[part] ?? 0)) / 1_048_576;
  return [
    atMost('updates without exactly one outcome', 0, outcomes.filter(({ length }) => length !== 1).length),
    atMost(
      'applied, and not exactly once in the ledger',
      0,
      count('applied', (found) => found !== 1),
    ),
    atMost(
      'rejected, and in the ledger',
      0,
      count('rejected', (found) => found > 0),
    ),
    atMost(
      'not sent, and in the ledger',
      0,
      count('not_sent', (found) => found > 0),
    ),
    atMost(
      'unknown, and more than once in the ledger',
      0,
      count('unknown', (found) => found > 1),
    ),
    atMost('updates that overtook another of their order', 0, overtaken),
    atMost('growth of the heap after the first leg', 4, growth('heap'), 'MiB'),
    atMost('growth of the buffers after the first leg', 16, growth('buffers'), 'MiB'),
    // Undici opens another socket rather than wait until one is reported to be free.
    atMost('sockets at the end', 4 * concurrency, held.at(-1)?.sockets ?? 0, 'sockets'),
    atMost('sockets after close', 0, socketsAfterClose, 'sockets'),
  ];
}

const atMost = (target: string, bound: number, figure: number, unit = 'updates'): Target => {
  return { target, unit, sense: 'at most', bound, figure };
};

/** How many updates had each outcome, and how often each fault was played. */
export function countSoak({ outcomes, faults }: SoakRecord): Record<string, number>[] {
  const byOutcome = Object.groupBy(outcomes, ([outcome]) => outcome ?? 'none');
  return [Object.fromEntries(Object.entries(byOutcome).map(([name, all]) => [name, all.length])), faults];
}
