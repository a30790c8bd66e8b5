import { Command, InvalidArgumentError, Option } from 'commander';
import { readWhole, type Wish, wishOf } from '../cli/read-words.ts';
import { contenderNames } from './contenders/contender-list.ts';
import { parts, type ScaleSettings } from './scale-settings.ts';

/** What the command line asks for. */
export interface ScaleOrder {
  readonly settings: ScaleSettings;
  /** Whether the figures are printed as JSON in place of tables. */
  readonly json: boolean;
  /** The name under which the run is kept in the repository; undefined when it is not kept. */
  readonly record: string | undefined;
}

interface Options extends ScaleSettings {
  readonly json?: true;
  readonly record?: true | string;
}

/** Reads the words after the program's name; a mistake is one line. */
export function readScaleArguments(words: readonly string[]): Wish<ScaleOrder> {
  return wishOf(createProgram(), words, ({ json, record, ...settings }: Options) => {
    return { settings, json: json ?? false, record: record === true ? 'outbox-scale' : record };
  });
}

function createProgram(): Command {
  const readCounts = readNumbers(1, 64);
  return new Command('scale')
    .description('Measures @orders/outbox beside graphile-worker, BullMQ and a plain queue of pg-boss.')
    .addOption(namesOption('--only <parts>', parts))
    .addOption(namesOption('--queues <names>', contenderNames))
    .option('--rounds <number>', 'rounds, whose median counts', readWhole(1, 100), 3)
    .option('--updates <number>', 'updates that are drained', readWhole(2, 1_000_000), 4_000)
    .option('--orders <number>', 'orders that they are for', readWhole(1, 100_000), 200)
    .option('--in-flight <number>', 'updates on their way at once, in all', readWhole(1, 1_000), 32)
    .option(
      '--processes <numbers>',
      'processes that drain a queue; the most share a rate',
      readCounts,
      [1, 2, 4],
    )
    .option(
      '--depths <numbers>',
      'orders that wait meanwhile',
      readNumbers(1, 1_000_000),
      [1_000, 10_000, 100_000],
    )
    .option('--window <number>', 'updates that are measured at each depth', readWhole(1, 100_000), 2_000)
    .option('--patience <seconds>', 'the longest that such a window may take', readWhole(1, 3_600), 30)
    .option('--samples <number>', 'updates whose way is timed', readWhole(1, 100_000), 300)
    .option('--seconds <number>', 'how long the rate is watched', readWhole(1, 3_600), 10)
    .option('--no-fsync', 'let PostgreSQL forget on a power cut, to see what the disk costs')
    .option('--json', 'print the figures as JSON')
    .option('--record [name]', 'write results/<name>.md and .json; the name is outbox-scale', readName);
}

function readName(text: string): string {
  if (!/^[a-z0-9-]+$/.test(text)) throw new InvalidArgumentError('Write small letters, digits and hyphens.');
  return text;
}

function namesOption(flags: string, known: readonly string[]): Option {
  return new Option(flags, `of ${known.join(', ')}`).argParser(readNames(known)).default(known, 'all');
}

function readNames<Name extends string>(known: readonly Name[]): (text: string) => readonly Name[] {
  return (text) => {
    const names = text.split(',');
    if (!names.every((name) => known.includes(name as Name))) {
      throw new InvalidArgumentError(`Name some of ${known.join(', ')}.`);
    }
    return known.filter((name) => names.includes(name));
  };
}

function readNumbers(least: number, most: number): (text: string) => readonly number[] {
  return (text) => {
    const numbers = text.split(',').map(readWhole(least, most));
    return [...new Set(numbers)].sort((a, b) => a - b);
  };
}
