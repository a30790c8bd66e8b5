import { Command, InvalidArgumentError } from 'commander';
import { type BenchSettings, quick, thorough } from '../measure/bench-settings.ts';
import { baseline, isPeerName, type PeerName, peerNames } from '../peers/peer-list.ts';
import { readWhole, type Wish, wishOf } from './read-words.ts';

/** What the command line asks for. */
export interface BenchOrder {
  readonly settings: BenchSettings;
  /** Where to write, if anywhere. */
  readonly json: string | undefined;
  readonly svg: string | undefined;
}

/** Where a whole run is kept. */
export interface KeptFiles {
  readonly json: string;
  readonly svg: string;
}

interface Options {
  readonly rounds?: number;
  readonly requests?: number;
  readonly peers?: readonly PeerName[];
  readonly carts?: readonly number[];
  readonly json?: string;
  readonly svg?: string;
  readonly quick?: true;
  readonly profile?: string;
}

/** Reads the words after the program's name; a mistake is one line. */
export function readBenchArguments(words: readonly string[], kept: KeptFiles): Wish<BenchOrder> {
  return wishOf(createProgram(), words, (options: Options) => {
    const { json, svg, quick: isQuick, ...given } = options;
    const isWhole = Object.keys(given).length === 0 && !isQuick;
    const settings: BenchSettings = { ...(isQuick ? quick : thorough), ...given };
    // A part of a run must not take the place of a whole one.
    const files = isWhole ? kept : { json: undefined, svg: undefined };
    return { settings, json: json ?? files.json, svg: svg ?? files.svg };
  });
}

function createProgram(): Command {
  return new Command('bench')
    .description(
      'Measures what an update costs the client, beside bare undici and the clients a user would pick.',
    )
    .option('--rounds <number>', `rounds that count (${thorough.rounds})`, readWhole(1, 1_000))
    .option(
      '--requests <number>',
      'requests of a round (as many as take a quarter of a second)',
      readWhole(1, 1e7),
    )
    .option('--peers <names>', `of ${peerNames.join(', ')}; ${baseline} always takes part (all)`, readPeers)
    .option('--carts <lines>', `lines of each cart (${thorough.carts.join(',')})`, readCarts)
    .option('--json <file>', 'where to write the figures (results/bench.json after a whole run)')
    .option('--svg <file>', 'where to draw the chart (results/bench.svg after a whole run)')
    .option('--quick', 'few and short rounds: to see that it works, not to compare')
    .option('--profile <folder>', 'write a CPU profile of each peer there');
}

function readPeers(text: string): readonly PeerName[] {
  const names = text.split(',');
  for (const name of names) {
    if (!isPeerName(name)) throw new InvalidArgumentError(`Name some of ${peerNames.join(', ')}.`);
  }
  return peerNames.filter((name) => name === baseline || names.includes(name));
}

function readCarts(text: string): readonly number[] {
  const carts = text.split(',').map(readWhole(1, 10_000));
  return [...new Set(carts)].sort((a, b) => a - b);
}
