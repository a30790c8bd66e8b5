import type { BenchSettings } from '../measure/bench-settings.ts';
import type { ImportRounds } from '../measure/measure-imports.ts';
import type { CartRounds } from '../measure/measure-peers.ts';
import type { ServiceLoad, ServiceRounds } from '../measure/measure-service.ts';
import type { ValidationRounds } from '../measure/measure-validators.ts';
import type { Usage } from '../measure/rounds.ts';
import type { StreamMemory } from '../measure/stream-role.ts';
import { baseline, type PeerName, peerList } from '../peers/peer-list.ts';
import { validatorList } from '../validators/validator-list.ts';
import type {
  BenchResult,
  CartResult,
  ImportResult,
  ServiceResult,
  StreamResult,
  ValidationResult,
} from './bench-result.ts';
import { ratioOf, spreadOf } from './statistics.ts';
import { judgeTargets } from './targets.ts';

/** Everything that was measured, round by round. */
export interface Measurements {
  readonly settings: BenchSettings;
  readonly carts: readonly CartRounds[];
  readonly validation: readonly ValidationRounds[];
  readonly imports: ImportRounds;
  readonly stream: StreamMemory;
  readonly service: Readonly<Record<ServiceLoad, ServiceRounds>>;
}

/** Where and when it was measured. */
export interface Surroundings {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  /** The version that a package has here. */
  readonly versionOf: (packageName: string | undefined) => string;
}

const mebibyte = 1_048_576;

/** Makes the result of a run out of its rounds. */
export function buildResult(measured: Measurements, { versionOf, ...place }: Surroundings): BenchResult {
  const { settings, carts } = measured;
  const imports = resultOfImports(measured.imports);
  const service = (['dispatch', 'sockets'] as const).map((load) =>
    resultOfService(load, measured.service[load]),
  );
  const stream = resultOfStream(measured.stream, settings.streamUpdates);
  return {
    ...place,
    rounds: settings.rounds,
    concurrency: settings.concurrency,
    carts: carts.map((cart) => resultOfCart(cart, versionOf)),
    validation: measured.validation.flatMap(resultOfValidation),
    imports,
    stream,
    service,
    targets: judgeTargets({
      toByHand: cpuRatio(carts, 2, 'by-hand'),
      toRequest: cpuRatio(carts, 2, 'request'),
      toFetch: cpuRatio(carts, 2, 'fetch'),
      toAxios: cpuRatio(carts, 2, 'axios'),
      toDispatchLarge: cpuRatio(carts, 1_000, 'dispatch'),
      streamMiB: stream.mostBytes / mebibyte,
      streamGrowthMiB: stream.growthBytes / mebibyte,
      importToUndici: imports.find(({ name }) => name === '@orders/client')?.ratio.median ?? Number.NaN,
      bareToService: 1 / (service[0]?.ratio.median ?? Number.NaN),
    }),
  };
}

const cpuMicros = (rounds: readonly Usage[]): number[] =>
  rounds.map(({ cpuMs, requests }) => (cpuMs * 1_000) / requests);

/** CPU of ours to another's, if the run measured both with such a cart. */
function cpuRatio(carts: readonly CartRounds[], lines: number, to: PeerName): number | undefined {
  const rounds = carts.find((cart) => cart.lines === lines)?.rounds;
  const [ours, theirs] = [rounds?.get('ours'), rounds?.get(to)];
  return ours && theirs && ratioOf(cpuMicros(ours), cpuMicros(theirs)).median;
}

function resultOfCart(
  { lines, received, rounds }: CartRounds,
  versionOf: Surroundings['versionOf'],
): CartResult {
  const base = cpuMicros(rounds.get(baseline) ?? []);
  const peers = [...rounds].map(([name, own]) => {
    const { label, from } = peerList[name];
    return {
      name,
      label,
      version: versionOf(from),
      cpuMicros: spreadOf(cpuMicros(own)),
      ratio: ratioOf(cpuMicros(own), base),
      perSecond: spreadOf(own.map(({ requests, wallMs }) => (requests * 1_000) / wallMs)),
      peakBytes: Math.max(...own.map(({ peakBytes }) => peakBytes)),
    };
  });
  return { lines, bodyBytes: Buffer.byteLength(received.body), peers };
}

function resultOfValidation({ lines, rounds }: ValidationRounds): ValidationResult[] {
  const base = rounds.get('zod') ?? [];
  return [...rounds].map(([name, own]) => ({
    name,
    label: validatorList[name].label,
    lines,
    cpuMicros: spreadOf(own),
    ratio: ratioOf(own, base),
  }));
}

function resultOfImports(imports: ImportRounds): ImportResult[] {
  const base = imports.get('undici') ?? [];
  return [...imports].map(([name, own]) => ({ name, cpuMs: spreadOf(own), ratio: ratioOf(own, base) }));
}

function resultOfService(load: ServiceLoad, { service, bare }: ServiceRounds): ServiceResult {
  return { load, perSecond: spreadOf(service), barePerSecond: spreadOf(bare), ratio: ratioOf(service, bare) };
}

function resultOfStream({ start, held }: StreamMemory, updates: number): StreamResult {
  const over = held.map(({ heap, buffers }) => heap + buffers - start.heap - start.buffers);
  const heaps = held.map(({ heap }) => heap);
  return {
    updates,
    mostBytes: Math.max(...over),
    growthBytes: (heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN),
  };
}
