import { isDeepStrictEqual } from 'node:util';
import { inRounds } from '../rounds.ts';
import { type ApiOf, type RemoteProcess, startProcess } from '../start-process.ts';
import type * as countServer from './count-server.ts';
import { responseBody } from './count-server.ts';
import type * as measured from './measured-process.ts';
import type { Usage, ValidatorName } from './measured-process.ts';
import { validators } from './measured-process.ts';
import { type PeerName, peerNames } from './peers.ts';

export interface BenchSettings {
  readonly rounds: number;
  /** How long a turn takes in each round, in milliseconds. */
  readonly turnMs: number;
  /** How long each process runs before its first turn, in milliseconds. */
  readonly warmUpMs: number;
  readonly peers: readonly PeerName[];
  /** Lines of each cart, ascending, since the peak of memory only grows. */
  readonly carts: readonly number[];
  /** Requests in flight. */
  readonly concurrency: number;
}

export const thorough: BenchSettings = {
  rounds: 25,
  turnMs: 100,
  warmUpMs: 1_500,
  peers: peerNames,
  carts: [2, 100, 1_000],
  concurrency: 32,
};

export const quick: BenchSettings = {
  ...thorough,
  rounds: 5,
  turnMs: 50,
  warmUpMs: 250,
};

type Measured = RemoteProcess<ApiOf<typeof measured>>;
type CountServer = RemoteProcess<ApiOf<typeof countServer>>;

/** The rounds of each peer with one cart. */
export interface CartRounds {
  readonly lines: number;
  readonly bodyBytes: number;
  readonly rounds: ReadonlyMap<PeerName, readonly Usage[]>;
}

export type BenchMeasurements = Awaited<ReturnType<typeof measureAll>>;
export type ImportName = keyof typeof imports;

const imports = {
  undici: ['undici'],
  '@orders/client': ['@orders/client'],
  'zod + undici by hand': ['zod', 'undici'],
  ky: ['ky'],
  axios: ['axios'],
  got: ['got'],
} as const;

/** Measures everything, one part after the other. */
export async function measureAll(settings: BenchSettings, progress: (part: string) => void) {
  await using server = await startProcess<typeof countServer>('client/count-server.ts', {});
  progress('clients');
  const carts = await measurePeers(settings, server);
  progress('validation');
  const checks = await measureChecks(settings);
  progress('imports');
  const importRounds = await measureImports(settings);
  return { settings, carts, checks, imports: importRounds };
}

const startMeasured = (): Promise<Measured> =>
  startProcess<typeof measured>('client/measured-process.ts', {});

async function measurePeers(settings: BenchSettings, server: CountServer): Promise<CartRounds[]> {
  const { turnMs, warmUpMs, concurrency } = settings;
  await using stack = new AsyncDisposableStack();
  const peers = new Map<PeerName, Measured>();
  for (const name of settings.peers) {
    const peer = stack.use(await startMeasured());
    await peer.call('open', name, await server.call('url'));
    peers.set(name, peer);
  }
  const carts: CartRounds[] = [];
  for (const lines of settings.carts) {
    const bodyBytes = await checkSameness(peers, lines, server);
    const requests = new Map<Measured, number>();
    const runTurn = async (peer: Measured): Promise<Usage> => {
      // Reopens connections that were closed while others had their turn.
      await peer.call('turn', { lines, requests: concurrency, concurrency });
      await server.call('takeCount');
      const usage = await peer.call('turn', {
        lines,
        requests: requests.get(peer) ?? concurrency,
        concurrency,
      });
      const arrived = await server.call('takeCount');
      if (arrived !== usage.requests) throw new Error(`${usage.requests} requests sent, ${arrived} arrived.`);
      return usage;
    };
    for (const peer of peers.values()) {
      for (const end = performance.now() + warmUpMs; performance.now() < end; ) {
        const usage = await runTurn(peer);
        requests.set(peer, Math.max(2 * concurrency, Math.round((usage.requests * turnMs) / usage.wallMs)));
      }
    }
    const rounds = await inRounds([...peers.values()], settings.rounds, runTurn);
    const named = [...peers].map(([name, peer]) => [name, rounds.get(peer) ?? []] as const);
    carts.push({ lines, bodyBytes, rounds: new Map(named) });
  }
  return carts;
}

/** Peers are comparable only when the server receives the same request from each; returns the length of its body. */
async function checkSameness(
  peers: ReadonlyMap<PeerName, Measured>,
  lines: number,
  server: CountServer,
): Promise<number> {
  let first: Awaited<ReturnType<ApiOf<typeof countServer>['lastRequest']>> | undefined;
  for (const [name, peer] of peers) {
    const response = await peer.call('probe', lines);
    const request = await server.call('lastRequest');
    first ??= request;
    if (!isDeepStrictEqual(response, responseBody) || !isDeepStrictEqual(request, first))
      throw new Error(`${name} sent another request: ${JSON.stringify(request)}`);
  }
  return Buffer.byteLength(first?.body ?? '');
}

async function measureChecks({ rounds, turnMs, warmUpMs, carts }: BenchSettings) {
  await using stack = new AsyncDisposableStack();
  const names = Object.keys(validators) as ValidatorName[];
  const processes = new Map<ValidatorName, Measured>();
  for (const name of names) processes.set(name, stack.use(await startMeasured()));
  const checks = new Map<number, Map<ValidatorName, number[]>>();
  for (const lines of carts) {
    const times = new Map<ValidatorName, number>();
    const check = async (name: ValidatorName, count = times.get(name) ?? 10): Promise<number> => {
      const cpuMs = await processes.get(name)?.call('check', name, lines, count);
      return ((cpuMs ?? Number.NaN) * 1_000) / count;
    };
    for (const name of names) {
      for (const end = performance.now() + warmUpMs / 3; performance.now() < end; ) {
        times.set(name, Math.max(10, Math.round((turnMs * 1_000) / Math.max(1, await check(name)))));
      }
    }
    checks.set(lines, await inRounds(names, rounds, check));
  }
  return checks;
}

async function measureImports({ rounds }: BenchSettings): Promise<Map<ImportName, number[]>> {
  const names = Object.keys(imports) as ImportName[];
  const measuredRounds = await inRounds(names, rounds + 1, async (name) => {
    await using child = await startMeasured();
    return await child.call('load', imports[name]);
  });
  // The first round read the files from the disk.
  return new Map([...measuredRounds].map(([name, times]) => [name, times.slice(1)]));
}
