import { type Child, startChild } from '../child/start-child.ts';
import type { Progress } from '../measure/progress.ts';
import type { HeldMemory } from '../workload/held-memory.ts';
import type { ServiceRecord } from './faulty-service-role.ts';
import type { SoakRecord } from './judge-soak.ts';

export interface SoakSettings {
  readonly updates: number;
  /** One request in so many meets a fault. */
  readonly faultEvery: number;
  readonly concurrency: number;
  /** The same seed brings the same faults, as far as the requests arrive in the same order. */
  readonly seed: number;
}

/** The service remembers every body: after so many updates another takes its place. */
const longestLeg = 50_000;
const legTimeoutMs = 600_000;

/** Sends all updates with one client, to one service after another on the same port, and notes what both sides saw. */
export async function runSoak(settings: SoakSettings, progress: Progress): Promise<SoakRecord> {
  const { updates, concurrency } = settings;
  const legLength = Math.min(longestLeg, Math.ceil(updates / 2));
  const starts = Array.from({ length: Math.ceil(updates / legLength) }, (_, leg) => leg * legLength);
  const record = {
    outcomes: new Uint8Array(updates),
    applied: [] as number[][],
    faults: {} as Record<string, number>,
    repeated: 0,
    held: [] as HeldMemory[],
    sockets: [] as number[],
    socketsAfterClose: 0,
    concurrency,
  };
  let soaker: Child<'soaker'> | undefined;
  let port = 0;
  progress.begin(`${updates} updates, one request in ${settings.faultEvery} faulted`, starts.length);
  try {
    for (const from of starts) {
      await using service = await startService(port, from, settings);
      const url = await service.call('url');
      port = Number(new URL(url).port);
      soaker ??= await startChild('soaker', [url], { flags: ['--expose-gc'], callTimeoutMs: legTimeoutMs });
      const count = Math.min(legLength, updates - from);
      const sent = await soaker.call('run', { from, count, concurrency });
      const known: ServiceRecord = await service.call('finish');
      record.outcomes.set(sent.outcomes, from);
      record.repeated += sent.repeated;
      record.held.push(sent.held);
      record.sockets.push(sent.sockets);
      record.applied.push([...known.applied]);
      for (const [name, times] of Object.entries(known.faults)) {
        record.faults[name] = (record.faults[name] ?? 0) + times;
      }
      progress.step();
    }
    record.socketsAfterClose = (await soaker?.call('close')) ?? 0;
    return record;
  } finally {
    progress.end();
    await soaker?.close();
  }
}

function startService(port: number, from: number, { faultEvery, seed }: SoakSettings) {
  return startChild('faultyService', [String(port), String(faultEvery), String(seed + from)]);
}
