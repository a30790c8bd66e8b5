import { isDeepStrictEqual } from 'node:util';
import { type Child, startChild } from '../child/start-child.ts';
import type { PeerName } from '../peers/peer-list.ts';
import type { ReceivedRequest } from '../server/count-server.ts';
import { fixedAnswer } from '../server/fixed-answer.ts';
import type { BenchSettings } from './bench-settings.ts';
import { type Progress, throughEach } from './progress.ts';
import { alternate, roundsOf, turnsOfRound, type Usage } from './rounds.ts';

/** The rounds of every peer with one cart; those of the same index were run next to each other. */
export interface CartRounds {
  readonly lines: number;
  /** What the server received of every peer alike. */
  readonly received: ReceivedRequest;
  readonly rounds: ReadonlyMap<PeerName, readonly Usage[]>;
}

/** Runs all peers against one server, each in a process of its own, in alternating rounds. */
export async function measurePeers(
  settings: BenchSettings,
  server: Child<'server'>,
  progress: Progress,
): Promise<CartRounds[]> {
  const baseUrl = await server.call('url');
  const peers = new Map<PeerName, Child<'peer'>>();
  try {
    for (const name of settings.peers) {
      const flags = profileFlags(name, settings.profile);
      peers.set(name, await startChild('peer', [name, baseUrl], { flags }));
    }
    const carts: CartRounds[] = [];
    for (const lines of settings.carts) {
      carts.push(await measureCart(lines, { settings, server, peers, progress }));
    }
    for (const peer of peers.values()) await peer.call('close');
    return carts;
  } finally {
    await Promise.all([...peers.values()].map((peer) => peer.close()));
  }
}

function profileFlags(name: PeerName, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
}

interface Field {
  readonly settings: BenchSettings;
  readonly server: Child<'server'>;
  readonly peers: ReadonlyMap<PeerName, Child<'peer'>>;
  readonly progress: Progress;
}

async function measureCart(lines: number, field: Field): Promise<CartRounds> {
  const { settings, progress } = field;
  const received = await checkSameness(lines, field);
  const requests = new Map<PeerName, number>();
  const cart = lines === 1 ? 'a cart of 1 line' : `a cart of ${lines} lines`;
  await throughEach(progress, `${cart}, warming up`, settings.peers, async (name) => {
    requests.set(name, await warmUp(name, lines, field));
  });
  const turns = new Map(settings.peers.map((name): [PeerName, Usage[]] => [name, []]));
  await throughEach(
    progress,
    cart,
    alternate(settings.peers, settings.rounds * turnsOfRound),
    async (name) => {
      turns.get(name)?.push(await runTurn(name, lines, requests.get(name) ?? 1, field));
    },
  );
  const rounds = new Map([...turns].map(([name, own]) => [name, roundsOf(own)]));
  return { lines, received, rounds };
}

/** Peers are comparable only if the server sees the same request of each, and each gives the same answer. */
async function checkSameness(lines: number, { peers, server }: Field): Promise<ReceivedRequest> {
  let first: ReceivedRequest | undefined;
  for (const [name, peer] of peers) {
    const answer = await peer.call('probe', lines);
    const request = await server.call('lastRequest');
    if (!isDeepStrictEqual(answer, fixedAnswer)) throw new Error(`${name} gave another answer.`);
    first ??= request;
    if (!isDeepStrictEqual(request, first))
      throw new Error(`${name} sent another request: ${JSON.stringify(request)}`);
  }
  if (!first) throw new Error('There is no peer to measure.');
  await server.call('takeCount');
  return first;
}

/** Runs a peer until its code is compiled, and tells how many requests fill a turn. */
async function warmUp(name: PeerName, lines: number, field: Field): Promise<number> {
  const { requests, roundMs, warmUpMs, concurrency } = field.settings;
  const fixed = requests && Math.ceil(requests / turnsOfRound);
  const least = 2 * concurrency;
  const endsAt = performance.now() + warmUpMs;
  let count = fixed ?? least;
  for (;;) {
    const { wallMs } = await runTurn(name, lines, count, field);
    count = fixed ?? Math.max(least, Math.round((count * roundMs) / turnsOfRound / wallMs));
    if (performance.now() >= endsAt) return count;
  }
}

async function runTurn(name: PeerName, lines: number, requests: number, field: Field): Promise<Usage> {
  const { peers, server, settings } = field;
  const peer = peers.get(name);
  if (!peer) throw new Error(`${name} was not started.`);
  const { concurrency } = settings;
  // Reopens connections that went idle while others had their turn: a client that keeps them shorter must not pay for it.
  await peer.call('turn', { lines, requests: concurrency, concurrency });
  await server.call('takeCount');
  const usage = await peer.call('turn', { lines, requests, concurrency });
  const arrived = await server.call('takeCount');
  if (arrived !== requests) throw new Error(`${name}: ${requests} requests sent, ${arrived} arrived.`);
  return usage;
}
