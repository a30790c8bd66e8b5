import process from 'node:process';
import { styleText } from 'node:util';

/** What a command ends with: 0 done, 1 something was rejected, invalid or needs review, 2 wrong usage, 3 could not run. */
export type ExitCode = 0 | 1 | 2 | 3;

/** An error that is printed in one line: what was attempted, what was found, what to do. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** What `--json` prints of it. */
  readonly facts: { readonly code: string; readonly message: string; readonly hint?: string };

  constructor(
    message: string,
    exitCode: ExitCode = 3,
    { code = errorCodes[exitCode], hint }: { readonly code?: string; readonly hint?: string } = {},
  ) {
    super(hint === undefined ? message : joinSentences(message, hint));
    this.exitCode = exitCode;
    this.facts = { code, message, ...(hint !== undefined && { hint }) };
  }
}

const errorCodes: Readonly<Record<ExitCode, string>> = { 0: 'failed', 1: 'invalid', 2: 'usage', 3: 'failed' };

/** The message of an error; a host with several addresses fails with an error that has none. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** The name and code of an error whose message may hold a key. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error';
  const { name, code } = error as NodeJS.ErrnoException;
  const kind = /^[A-Z][A-Za-z]{0,30}$/.test(name) && name.endsWith('Error') ? name : 'Error';
  return typeof code === 'string' && /^ERR_[A-Z_]{1,50}$/.test(code) ? `${kind} (${code})` : kind;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A command as it was given. */
export interface CommandInput<Options> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly terminal: Terminal;
  readonly env: Environment;
}

type Cell = string | number;
type Style = Parameters<typeof styleText>[0];

/** Where a command writes. Nothing that it writes holds a key, and only `write` can control the terminal. */
export interface Terminal {
  /** Whether results are printed as JSON. */
  json: boolean;
  /** Never prints this text, as it is or encoded as services echo keys: it is a key. */
  addSecret(key: string): void;
  /** A text without the keys, to be cut. */
  redact(text: string): string;
  print(...lines: readonly string[]): void;
  /** Prints text for another program: as it is, but for the key. */
  write(text: string): void;
  /** Prints a result: as JSON, or as the lines that `draw` returns. */
  report(value: unknown, draw: () => readonly string[] | Promise<readonly string[]>): Promise<void>;
  /** Prints lines for people to standard error. */
  note(...lines: readonly string[]): void;
  /**
   * Prints why a command failed to standard error: on a terminal in lines that fit, elsewhere in one. With `--json` it
   * is an object on standard output, too, unless a result is there already.
   */
  fail(error: unknown): Promise<void>;
  /** Colours a text of standard output, where colours are wanted. */
  style(style: Style, text: string): string;
  /** Rows as lines no wider than the terminal; the last column wraps. */
  table(rows: readonly (readonly Cell[])[]): Promise<readonly string[]>;
  /** Shows what is going on: a line of standard error that changes, or, where it is a file, a line now and then. */
  progress(): Promise<Progress>;
  /** Says what is waited for, on standard error, where that takes longer than a moment. */
  waitFor<T>(what: string, waiting: Promise<T>): Promise<T>;
  /** Shows lines in place of those before; where it is a file, below them. */
  screen(): Promise<(...lines: readonly string[]) => void>;
  /** Lets a person confirm something. @throws CommandError where there is no terminal to do so. */
  confirm(question: string): Promise<boolean>;
  /**
   * From now on the first Ctrl-C, or the end of the terminal, fires the signal, whose reason is its name, and a second
   * Ctrl-C ends the process.
   */
  catchInterrupt(): AbortSignal;
  /** Fires when nothing that is printed arrives any more. */
  readonly closed: AbortSignal;
  /** Resolves with whether all output was written. */
  flush(): Promise<boolean>;
}

interface Progress {
  /** Shows the line that `draw` returns, unless another was shown a moment ago. */
  update(draw: () => string): void;
  /** Removes the line. */
  stop(): void;
}

/** How often progress is shown, in milliseconds. */
const progressMs = { terminal: 100, file: 10_000 };
/** What takes longer is named while it is waited for, in milliseconds. */
const momentMs = 2_000;

export function createTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr } = process;
  const secrets = new Set<string>();
  const closed = new AbortController();
  let isLost = false;
  let hasReported = false;
  let removeProgress = (): void => {};
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed.abort();
    // A reader may leave; an output that cannot be stored, as on a full disk, is lost.
    if (error.code === 'EPIPE' || isLost) return;
    isLost = true;
    terminal.note(`The output could not be written: ${error.message}`);
  });
  // An error that cannot be written must not end the process.
  stderr.on('error', () => {});

  const redact = (text: string): string =>
    [...secrets].reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
  const toText = (lines: readonly string[], keepsStyles = false): string =>
    lines.map((line) => `${stripControls(redact(line), keepsStyles)}\n`).join('');
  const hasStyles = (): boolean => styleText('bold', '.', { stream: stdout }) !== '.';

  const terminal: Terminal = {
    json: false,
    addSecret(key) {
      // A shorter key occurs by chance in texts that have nothing to do with it.
      if (key.length < 8 || secrets.has(key)) return;
      const encoded = [`${key}:`, key].map((text) => Buffer.from(text).toString('base64').replace(/=+$/, ''));
      for (const text of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), ...encoded])
        secrets.add(text);
    },
    redact,
    print: (...lines) => void stdout.write(toText(lines, hasStyles())),
    write: (text) => void stdout.write(redact(text)),
    async report(value, draw) {
      if (!terminal.json) return terminal.print(...(await draw()));
      hasReported = true;
      terminal.write(`${toJson(value)}\n`);
    },
    note(...lines) {
      removeProgress();
      stderr.write(toText(lines));
    },
    async fail(error) {
      const message = describeError(error);
      const line = `orders: ${message}`;
      terminal.note(...(stderr.isTTY ? await drawTable([[line]], widthOf(stderr)) : [line]));
      const facts = error instanceof CommandError ? error.facts : { code: 'failed', message };
      if (terminal.json && !hasReported) terminal.write(`${toJson({ error: facts })}\n`);
    },
    style: (style, text) => styleText(style, text, { stream: stdout }),
    table: (rows) => drawTable(rows, Math.max(40, widthOf(stdout))),
    async progress() {
      const { createLogUpdate } = await import('log-update');
      const log = canRedraw(stderr) ? createLogUpdate(stderr) : undefined;
      if (log) removeProgress = log.clear;
      const everyMs = log ? progressMs.terminal : progressMs.file;
      // In a file the first line comes when it is more than a moment.
      let shownAt = performance.now() - everyMs + (log ? 0 : momentMs);
      return {
        update(draw) {
          if (performance.now() - shownAt < everyMs) return;
          shownAt = performance.now();
          const line = stripControls(redact(draw()), false);
          // One that wraps would flicker.
          if (log) log(line.slice(0, widthOf(stderr) - 1));
          else terminal.note(line);
        },
        stop: () => {
          log?.clear();
          log?.done();
        },
      };
    },
    async waitFor(what, waiting) {
      const timer = setTimeout(() => terminal.note(`Waiting for ${what} …`), momentMs);
      try {
        return await waiting;
      } finally {
        clearTimeout(timer);
      }
    },
    async screen() {
      if (!canRedraw(stdout)) return terminal.print;
      const { createLogUpdate } = await import('log-update');
      const log = createLogUpdate(stdout);
      return (...lines) => log(toText(lines, hasStyles()).trimEnd());
    },
    async confirm(question) {
      if (!stdin.isTTY || !stderr.isTTY)
        throw new CommandError('Nothing was done: there is no terminal to confirm it. Pass --yes.', 2);
      const { default: confirm } = await import('@inquirer/confirm');
      // Ctrl-C rejects.
      return confirm({ message: question, default: false }, { output: stderr }).catch(() => false);
    },
    catchInterrupt() {
      const interrupt = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const)
        process.on(signal, () => {
          if (!interrupt.signal.aborted) return interrupt.abort(signal);
          // When a terminal closes, the shell sends it and then the system, while no person asks for more haste.
          if (signal === 'SIGHUP') return;
          void terminal
            .fail('Interrupted again: what was in flight was not finished.')
            .finally(() => process.exit(3));
        });
      return interrupt.signal;
    },
    closed: closed.signal,
    async flush() {
      for (const stream of [stdout, stderr])
        await new Promise<void>((resolve) => stream.write('', () => resolve()));
      return !isLost;
    },
  };
  return terminal;
}

/** A terminal without a size, as of `ssh -tt` in a script, has no columns and no rows. */
const widthOf = ({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number => columns || 80;
const canRedraw = ({ isTTY, rows }: Pick<NodeJS.WriteStream, 'isTTY' | 'rows'>): boolean => isTTY && rows > 0;

/** Cells whose text may control the terminal are cleaned when they are printed; their width is that of the text. */
async function drawTable(rows: readonly (readonly Cell[])[], columns: number): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const { table, getBorderCharacters } = await import('table');
  const cells = rows.map((row) => row.map((cell) => stripControls(String(cell), true)));
  const last = (cells[0]?.length ?? 1) - 1;
  const lengthOf = (column: number): number =>
    Math.max(1, ...cells.map((row) => row[column]?.replace(styles, '').length ?? 0));
  const taken = Array.from({ length: last }, (_, column) => lengthOf(column) + 2);
  const width = Math.max(16, Math.min(lengthOf(last), columns - taken.reduce((sum, own) => sum + own, 0)));
  const text = table(cells, {
    border: getBorderCharacters('void'),
    drawHorizontalLine: () => false,
    columnDefault: { paddingLeft: 0, paddingRight: 2 },
    columns: { [last]: { width, wrapWord: true, paddingRight: 0 } },
  });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with this character
const styles = /\u001b\[(?:1|22|[39][0-79])m/g;
/** Characters that control a terminal, or that it does not show: marks of direction, zero-width ones and tags. */
const hidden = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
const controls = new RegExp(`(${styles.source})|[${hidden}]`, 'gu');
const hiddenButLineFeed = new RegExp(`(?!\n)[${hidden}]`, 'gu');

/** A text without hidden characters, but for colours: it may come from a file or from another machine. */
function stripControls(text: string, keepsStyles: boolean): string {
  return text.replace(controls, (_, style?: string) => (keepsStyles && style) || (style ? '' : ' '));
}

/** A value as JSON in one line, with hidden characters escaped. */
export function toJson(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

/** A text that holds JSON, with hidden characters escaped as JSON does. Line feeds stay. */
export function escapeControls(text: string): string {
  return text.replace(hiddenButLineFeed, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** What was found, and what to do about it, as sentences. */
export function joinSentences(found: string, advice = ''): string {
  return `${/[.?!]$/.test(found) ? found : `${found}.`} ${advice}`.trim();
}

/** A command line to paste into a shell, which would split or change some words unless they are quoted. */
export function commandLine(words: readonly string[]): string {
  const quote = (word: string): string => {
    if (process.platform === 'win32') return `"${word}"`;
    // Printed as it is, a line feed would be a blank.
    const hiddenOrLineFeed = new RegExp(`[${hidden}]`, 'gu');
    if (!hiddenOrLineFeed.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
    const escapeOne = (character: string): string =>
      `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
    return `$'${word.replace(/[\\']/g, '\\$&').replace(hiddenOrLineFeed, escapeOne)}'`;
  };
  // zsh replaces a word that begins with "=".
  return words.map((word) => (/^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : quote(word))).join(' ');
}

/** A count for people: `12,345`. Loading a locale would take a tenth of the time of a short command. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun: `1 row`, `12,345 rows`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration in its two largest units: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return `${minutes} min ${seconds % 60} s`;
  return `${hours} h ${minutes % 60} min`;
}
