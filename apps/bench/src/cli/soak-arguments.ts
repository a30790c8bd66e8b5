import { Command } from 'commander';
import type { SoakSettings } from '../soak/run-soak.ts';
import { readWhole, type Wish, wishOf } from './read-words.ts';

/** Reads the words after the program's name; a mistake is one line. */
export function readSoakArguments(words: readonly string[]): Wish<SoakSettings> {
  const program = new Command('soak')
    .description(
      'Sends updates to a service that keeps failing, and holds what the client said against its ledger.',
    )
    .option('--updates <number>', 'updates to send', readWhole(100, 10_000_000), 1_000_000)
    .option('--fault-every <number>', 'one request in so many meets a fault', readWhole(1, 1_000_000), 50)
    .option('--concurrency <number>', 'updates on their way at a time', readWhole(1, 1_000), 64)
    .option('--seed <number>', 'the same seed brings the same faults', readWhole(0, 1_000_000_000), 1);
  return wishOf(program, words, (settings: SoakSettings) => settings);
}
