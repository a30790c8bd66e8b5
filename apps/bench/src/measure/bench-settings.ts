import { type PeerName, peerNames } from '../peers/peer-list.ts';

/** How thoroughly to measure. */
export interface BenchSettings {
  readonly rounds: number;
  /** Requests of a round; when `undefined`, as many as take about `roundMs`. */
  readonly requests: number | undefined;
  readonly peers: readonly PeerName[];
  /** Lines of each cart, ascending, so that a peak of memory belongs to the cart that caused it. */
  readonly carts: readonly number[];
  /** Requests in flight. */
  readonly concurrency: number;
  /** How long a round is to take, in milliseconds. */
  readonly roundMs: number;
  /** How long each peer runs before its first round with a cart, in milliseconds. */
  readonly warmUpMs: number;
  /** Updates that are streamed to see the memory; a tenth of them comes before the first look. */
  readonly streamUpdates: number;
  /** A folder for a CPU profile of each peer, if wanted; figures of such a run are not to be trusted. */
  readonly profile: string | undefined;
}

export const thorough: BenchSettings = {
  rounds: 9,
  requests: undefined,
  peers: peerNames,
  carts: [2, 100, 1_000],
  concurrency: 32,
  roundMs: 250,
  warmUpMs: 1_500,
  streamUpdates: 200_000,
  profile: undefined,
};

export const quick: BenchSettings = {
  ...thorough,
  rounds: 3,
  roundMs: 80,
  warmUpMs: 250,
  streamUpdates: 20_000,
};
