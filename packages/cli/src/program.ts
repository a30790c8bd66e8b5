import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { type Definition, definitions } from './definitions.ts';
import {
  CommandError,
  type CommandInput,
  type Environment,
  type ExitCode,
  type Terminal,
} from './terminal.ts';

const completion: Definition = {
  usage: 'completion <shell>',
  summary: 'Print the completion script of a shell',
  examples: [
    'orders completion bash >> ~/.bashrc',
    'orders completion zsh > ~/.zfunc/_orders',
    'orders completion fish > ~/.config/fish/completions/orders.fish',
  ],
  load: async () => {
    const { completionScript } = await import('./completion.ts');
    return async ({ args: [shell = ''], terminal }) => {
      terminal.write(completionScript(shell, createProgram()));
      return 0;
    };
  },
};

const footer = `
Examples:
  orders check --base-url https://api.example.com
  orders validate updates.csv --decimals 2
  orders send updates.csv --decimals 2 --rate 50 --result results.csv

The key is read from ORDERS_API_KEY, --api-key-file or --api-key-command; it is
never a flag. Flags come before the environment, and that before orders.json in
this folder, which may set concurrency, decimals, orderUpdate, rate,
stopOnRejected and timeout.

Exit codes: 0 done; 1 something was rejected, is invalid or needs review;
2 wrong usage; 3 could not run. With --json an error is on standard output, too:
{ "error": { "code", "message", "hint" } }.`;

/** Runs the command that the words name, and prints why it failed. */
export async function runProgram(
  words: readonly string[],
  terminal: Terminal,
  env: Environment,
): Promise<ExitCode> {
  if (env['ORDERS_API_KEY']) terminal.addSecret(env['ORDERS_API_KEY']);
  // Wrong usage has no options yet.
  terminal.json = words.includes('--json');
  try {
    return await runWords(words, terminal, env);
  } catch (error) {
    await terminal.fail(error);
    return error instanceof CommandError ? error.exitCode : 3;
  }
}

async function runWords(words: readonly string[], terminal: Terminal, env: Environment): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  let usage = '';
  const program = createProgram(async (definition, command) => {
    const { json, format } = command.opts();
    terminal.json = Boolean(json) || format === 'json';
    if (definition.readsFolder) {
      const { readFolderSettings } = await import('./connection.ts');
      applySettings(command, await readFolderSettings());
    }
    const run = await definition.load?.();
    const input = { args: command.args, options: command.opts(), terminal, env } as const;
    exitCode = (await run?.(input as CommandInput<object> as CommandInput<never>)) ?? 0;
  });
  for (const each of allCommands(program))
    each.exitOverride().configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => {
        usage += text;
      },
    });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // A command group without a command.
    if (error.code !== 'commander.help') throw new CommandError(formatUsageError(error, words), 2);
    terminal.note(...usage.trimEnd().split('\n'));
    return 2;
  }
  return exitCode;
}

type OnCommand = (definition: Definition, command: Command) => Promise<void>;

export function createProgram(onCommand: OnCommand = async () => {}): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const program = new Command('orders')
    .description('Checks, validates and sends order updates, and operates an outbox, from a shell.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'Print the help of a command')
    .addHelpText('after', footer);
  for (const definition of [...definitions, completion]) addCommand(program, definition, onCommand);
  return program;
}

function addCommand(parent: Command, definition: Definition, onCommand: OnCommand): void {
  const { usage, summary, options = [], details = '', examples = [], commands = [], load } = definition;
  const command = parent.command(usage).summary(summary).helpOption('-h, --help', 'print help');
  if (commands.length > 0) command.helpCommand('help [command]', 'Print the help of a command');
  // Commander wraps lines itself.
  command.description(`${summary}.\n\n${details}`.trim().replace(/(?<!\n)\n(?!\n)/g, ' '));
  for (const each of options) command.addOption(each);
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n  ${examples.join('\n  ')}`);
  for (const each of commands) addCommand(command, each, onCommand);
  if (load) command.action((...all: readonly unknown[]) => onCommand(definition, all.at(-1) as Command));
}

export function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/** Lets the settings of a folder stand in for options that were not given. */
function applySettings(command: Command, settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings)) {
    const option = command.options.find((each) => each.attributeName() === name);
    if (name !== 'orderUpdate' && (!option || command.getOptionValueSource(name) !== undefined)) continue;
    try {
      command.setOptionValue(name, name === 'orderUpdate' ? value : readSetting(value, option));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new CommandError(`orders.json: ${name}: ${error.message}`, 2);
    }
  }
}

/** A setting in JSON, as its option reads it. @throws InvalidArgumentError */
function readSetting(value: unknown, option: Option | undefined): unknown {
  if (option?.parseArg && value !== Object(value)) return option.parseArg(String(value), undefined);
  if (typeof value === 'boolean') return value;
  throw new InvalidArgumentError(option?.parseArg ? 'Write a text or a number.' : 'Write true or false.');
}

/** A usage error in one line, without words that may be a key. */
function formatUsageError({ code, message }: CommanderError, words: readonly string[]): string {
  const line = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  if (code === 'commander.unknownCommand' && !line.includes('Did you mean'))
    return 'There is no such command; --help lists them.';
  if (code === 'commander.excessArguments') return line.replace(/( but got \d+).*$/, '$1.');
  if (/^unknown option '--?(api-?)?key\b/i.test(line)) {
    if (words.includes('mock')) return 'The mock takes a key from --key or ORDERS_MOCK_KEY.';
    return 'The key is never a flag: set ORDERS_API_KEY, or pass --api-key-file or --api-key-command.';
  }
  const advice =
    code === 'commander.unknownOption' && words[0] === 'judge' && !words.includes('--')
      ? ` Write the program's command after "--".`
      : '';
  // What follows the equals sign, or a short option, may be a key.
  return `${line.replace(/^(unknown option '(?:-[^-=']|[^=']*(?==)))[^']*'/, "$1'").replace(/[^.)]$/, '$&.')}${advice}`;
}
