import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { endGroup } from '../src/machine/run-program.ts';

export interface Ended {
  readonly code: number;
  /** What it printed, without colours. */
  readonly output: string;
}

export interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const longestMs = 120_000;

/** Runs a line as a script of package.json is run, to its end, whichever that is. */
export async function runInShell(line: string, { cwd, env }: ShellOptions): Promise<Ended> {
  const child = spawn('sh', ['-c', line], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => endGroup(child.pid), longestMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code]: unknown[] = await once(child, 'close');
  clearTimeout(timer);
  return { code: typeof code === 'number' ? code : -1, output: stripVTControlCharacters(output) };
}
