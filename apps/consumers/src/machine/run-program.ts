import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program and all that it started. */
  readonly signal: AbortSignal;
  /** @default 120_000 */
  readonly timeoutMs?: number;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that did not end with 0; the message holds what it printed last, but for stacks. */
class ProgramError extends Error {
  override readonly name = 'ProgramError';

  constructor(what: string, printed: Printed) {
    const lines = stripVTControlCharacters(`${printed.stdout}\n${printed.stderr}`)
      .split('\n')
      .filter((line) => !/^\s*(at .*)?$/.test(line));
    super([what, ...lines.slice(-keptLines)].join('\n'));
  }
}

const keptLines = 25;

/**
 * Runs a program to its end and gives what it printed.
 * @throws {ProgramError} when it does not end with 0 or not in time.
 */
export async function runProgram(
  [program, ...args]: Command,
  { cwd, env, signal, timeoutMs = 120_000 }: ProgramOptions,
): Promise<Printed> {
  signal.throwIfAborted();
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // A group of its own: package managers start programs that must end with them.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (): void => endGroup(child.pid);
  over.addEventListener('abort', end);
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  try {
    const [code, ended]: unknown[] = await once(child, 'close');
    if (code === 0) return printed;
    signal.throwIfAborted();
    const how = over.aborted ? `was not over after ${timeoutMs} ms` : `ended with ${code ?? ended}`;
    throw new ProgramError(`${nameOf([program, ...args])} ${how}`, printed);
  } finally {
    over.removeEventListener('abort', end);
  }
}

/** Ends a program that was started with a group of its own, and what it started. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The command as one would type it, without the way to the program. */
function nameOf([program, ...args]: Command): string {
  return [program, ...args].map((word) => basename(word)).join(' ');
}
