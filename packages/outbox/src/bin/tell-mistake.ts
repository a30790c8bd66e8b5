import type { CommanderError } from 'commander';

/** What commander says of a mistake, on one line, without words that may be a key or an address with a password. */
export function tellMistake({ code, message }: Pick<CommanderError, 'code' | 'message'>): string {
  if (code === 'commander.help') return 'Give a command; see --help.';
  if (code === 'commander.unknownCommand') return 'There is no such command; see --help.';
  const oneLine = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  return oneLine.replace(/^(unknown option '[^=']*)=.*$/, "$1'");
}
