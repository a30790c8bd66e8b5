import { type Command, CommanderError, InvalidArgumentError } from 'commander';

/** What a command line asks for: something to run, something to print, or nothing that can be done. */
export type Wish<Order> =
  | { readonly wish: 'run'; readonly order: Order }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

/** Reads words with a program; a mistake is one line, and nothing is printed or ended here. */
export function wishOf<Options, Order>(
  program: Command,
  words: readonly string[],
  toOrder: (options: Options) => Order,
): Wish<Order> {
  let printed = '';
  program
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} })
    .helpOption('--help', 'show this help')
    .showSuggestionAfterError(false);
  try {
    program.parse(words, { from: 'user' });
    return { wish: 'run', order: toOrder(program.opts() as Options) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: error.message.replace(/\s+/g, ' ').replace(/^error: /, '') };
  }
}

/** Reads a whole number between two bounds. */
export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
