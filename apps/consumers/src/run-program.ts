import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

/** A program and its arguments. */
export type Command = readonly string[];

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** @default 180_000 */
  readonly timeoutMs?: number;
}

/** Runs a program to its end; resolves with what it printed to either stream. Rejects unless it exits with 0 in time. */
export async function runProgram(
  command: Command,
  { cwd, env, timeoutMs = 180_000 }: ProgramOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const [program = '', ...args] = command;
  // A group of its own: package managers start programs that must end with them.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => killGroup(child.pid);
  process.on('exit', kill);
  const timer = setTimeout(kill, timeoutMs);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += stripVTControlCharacters(text);
    });
  }
  try {
    const [code, signal]: unknown[] = await once(child, 'close');
    if (code === 0) return printed;
    const lines = `${printed.stdout}\n${printed.stderr}`
      .split('\n')
      .filter((line) => !/^\s*(at .*)?$/.test(line));
    const name = command.map((word) => basename(word)).join(' ');
    throw new Error([`${name} exited with ${code ?? signal}`, ...lines.slice(-25)].join('\n'));
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
  }
}

/** Kills a program with a group of its own, and all that it started. */
export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}
