import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { runProgram } from '../src/program.ts';
import { createTerminal } from '../src/terminal.ts';
import { type EndedRun, type Folder, withoutHurry, withoutWaits } from './run-orders.ts';

export interface RunHereOptions {
  /** Words that begin with `./` are files of this folder, whose path is left out of what is printed. */
  readonly folder?: Folder;
  readonly env?: Readonly<Record<string, string>>;
  /** What a person says to a question. @default there is no terminal */
  readonly confirm?: (question: string) => boolean;
}

/** The command in this process, which starts it much sooner than one of its own. */
export interface RunningHere extends AsyncDisposable {
  /** What it printed so far, once that matches; rejects when it ends before. */
  printed(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<string>;
  /** Sends it a signal, as soon as it catches that. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void;
  readonly ended: Promise<EndedRun>;
}

export function startHere(
  words: readonly string[],
  { folder, env = {}, confirm }: RunHereOptions = {},
): RunningHere {
  const inFolder = (word: string): string =>
    folder && word.startsWith('./') ? join(folder.path, word) : word;
  const withoutFolder = (output: string): string =>
    folder ? output.replaceAll(join(folder.path, '/'), '') : output;
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const text = { stdout: '', stderr: '' };
  const changed = new EventEmitter().setMaxListeners(0);
  for (const stream of ['stdout', 'stderr'] as const)
    streams[stream].on('data', (chunk: Buffer) => {
      text[stream] += String(chunk);
      changed.emit('change');
    });
  const own = Object.assign(new EventEmitter(), {
    ...streams,
    stdin: new PassThrough(),
    exit: () => {},
  });
  const terminal = createTerminal(own as unknown as NodeJS.Process);
  if (confirm) Object.assign(terminal, { confirm: async (question: string) => confirm(question) });
  const ended = runProgram(withoutHurry(words).map(inFolder), terminal, env).then(async (code) => {
    await terminal.flush();
    changed.emit('end');
    return { code, stdout: withoutFolder(text.stdout), stderr: withoutWaits(withoutFolder(text.stderr)) };
  });
  return {
    ended,
    signal(name) {
      if (own.emit(name)) return;
      own.once('newListener', () => process.nextTick(() => own.emit(name)));
    },
    printed: (pattern, stream = 'stdout') =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(text[stream])) resolve(text[stream]);
        };
        changed.on('change', look);
        changed.once('end', () =>
          reject(new Error(`It ended before it printed ${pattern}: ${text.stdout}${text.stderr}`)),
        );
        look();
      }),
    async [Symbol.asyncDispose]() {
      own.emit('SIGTERM');
      await ended;
    },
  };
}

export async function runHere(words: readonly string[], options?: RunHereOptions): Promise<EndedRun> {
  return startHere(words, options).ended;
}

/** Runs the command with this folder as the working directory; no test of the same file may run meanwhile. */
export async function runIn(
  folder: Folder,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedRun> {
  const before = process.cwd();
  process.chdir(folder.path);
  try {
    return await runHere(words, { env });
  } finally {
    process.chdir(before);
  }
}
