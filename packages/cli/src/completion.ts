import type { Command } from 'commander';
import { CommandError } from './terminal.ts';

/** Prints the completion script of a shell. It is made of the commands as they are, and starts no process. */
export function completionScript(shell: string, program: Command): string {
  const scripts: Readonly<Record<string, (paths: readonly Path[]) => string>> = { bash, zsh, fish };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw new CommandError('Write bash, zsh or fish: orders completion bash.', 2);
  return script(pathsOf(program));
}

/** A command, by the words before it, and the words that may follow. */
interface Path {
  readonly words: readonly string[];
  readonly commands: readonly Command[];
  readonly options: Command['options'];
}

function pathsOf(command: Command, words: readonly string[] = []): readonly Path[] {
  const { commands, options } = command;
  return [
    { words, commands, options },
    ...commands.flatMap((each) => pathsOf(each, [...words, each.name()])),
  ];
}

const flagsOf = ({ options }: Path): readonly string[] => [
  ...options.flatMap(({ long }) => long ?? []),
  '--help',
];

/** The cases of a shell's `case`, by the command so far. */
function cases(paths: readonly Path[], found: (path: Path) => string): string {
  return paths.map((path) => `    '${path.words.join(' ')}') ${found(path)} ;;`).join('\n');
}

/** Follows the words to the command that they name. */
function walk(paths: readonly Path[], words: string): string {
  const known = paths.filter((path) => path.words.length > 0).map((path) => `'${path.words.join(' ')}'`);
  return `  local path='' word
  for word in ${words}; do
    case "\${path:+$path }$word" in
      ${known.join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done`;
}

const wordsOf = (path: Path): string =>
  [...path.commands.map((each) => each.name()), ...flagsOf(path)].join(' ');

const bash = (paths: readonly Path[]): string => `_orders() {
${walk(paths, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local words=''
  case "$path" in
${cases(paths, (path) => `words='${wordsOf(path)}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _orders orders
`;

const zsh = (paths: readonly Path[]): string => `#compdef orders
_orders() {
${walk(paths, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$path" in
${cases(paths, (path) => `compadd -- ${wordsOf(path)}`)}
  esac
  _files
}
compdef _orders orders
`;

function fish(paths: readonly Path[]): string {
  const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const lines = paths.flatMap(({ words, commands, options }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = commands.map((each) => each.name()).join(' ');
    const unseen = names ? [`not __fish_seen_subcommand_from ${names}`] : [];
    const when = `complete -c orders -n ${quote([...seen, ...unseen].join('; and '))}`;
    return [
      ...commands.map((each) => `${when} -f -a ${each.name()} -d ${quote(each.summary())}`),
      ...options.map(({ long = '', description }) => `${when} -l ${long.slice(2)} -d ${quote(description)}`),
      `${when} -l help -d 'print help'`,
    ];
  });
  return `${lines.join('\n')}\n`;
}
