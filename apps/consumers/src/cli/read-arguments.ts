import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type BreakageName, breakageNames } from '../packing/breakage.ts';

/** What the command line asks for. */
export type Arguments =
  | { readonly wish: 'matrix'; readonly only: RegExp; readonly broken?: BreakageName; readonly keep: boolean }
  | { readonly wish: 'list'; readonly only: RegExp }
  | { readonly wish: 'broken'; readonly only: RegExp; readonly breakages: readonly BreakageName[] }
  | { readonly wish: 'newcomer'; readonly keep: boolean }
  | { readonly wish: 'release' }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

interface Options {
  readonly only: RegExp;
  readonly list?: true;
  readonly keep?: true;
  readonly break?: BreakageName;
}

/** Which options each wish takes. */
const taken = {
  matrix: ['only', 'list', 'keep', 'break'],
  broken: ['only', 'break'],
  newcomer: ['keep'],
  release: [],
} as const satisfies Record<string, readonly (keyof Options)[]>;

type Wish = keyof typeof taken;

/** Reads the words after the program's name; a mistake is one line. */
export function readArguments(words: readonly string[]): Arguments {
  let printed = '';
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
    const wish = program.processedArgs[0] as Wish;
    const options = program.opts<Options>();
    refuseOptions(wish, program);
    if (options.list) return { wish: 'list', only: options.only };
    if (wish === 'matrix') {
      const broken = options.break && { broken: options.break };
      return { wish, only: options.only, keep: options.keep ?? false, ...broken };
    }
    if (wish === 'broken') {
      return { wish, only: options.only, breakages: options.break ? [options.break] : breakageNames };
    }
    return wish === 'newcomer' ? { wish, keep: options.keep ?? false } : { wish };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: error.message.replace(/\s+/g, ' ').replace(/^error: /, '') };
  }
}

function createProgram(): Command {
  return new Command('pnpm consumers')
    .description(
      'Packs the packages, publishes them to a registry on this machine, and uses them as their users will.',
    )
    .addArgument(new Argument('[what]', 'what to run').choices(Object.keys(taken)).default('matrix'))
    .addOption(
      new Option('--only <pattern>', 'the rows whose name this regular expression finds')
        .argParser(readPattern)
        .default(/(?:)/, 'all'),
    )
    .option('--list', 'name the rows and end')
    .option('--keep', 'leave the folder with the projects behind')
    .addOption(new Option('--break <how>', 'break a package before it is packed').choices(breakageNames))
    .helpOption('--help', 'show this help')
    .addHelpText('after', AFTER_HELP)
    .showSuggestionAfterError(false);
}

const AFTER_HELP = `
matrix    every kind of consumer, a row each; ends with 1 when one is red
broken    the matrix once for each way to break a package; ends with 1 when a wrong row is red
newcomer  from an empty folder to a sent update, with what the READMEs say
release   versions, changelogs and publishing, rehearsed`;

function refuseOptions(wish: Wish, program: Command): void {
  const allowed: readonly string[] = taken[wish];
  const given = Object.keys(program.opts()).find(
    (option) => program.getOptionValueSource(option) === 'cli' && !allowed.includes(option),
  );
  if (given) throw new InvalidArgumentError(`${wish} takes no --${given}.`);
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch {
    throw new InvalidArgumentError('Give a regular expression.');
  }
}
