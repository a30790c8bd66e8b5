/** Runs commands one after another, in a process that has a terminal, and prints how each of them ended. */
import process from 'node:process';
import { runProgram } from '../src/program.ts';
import { createTerminal } from '../src/terminal.ts';

const runs: readonly {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}[] = JSON.parse(process.argv[2] ?? '');
for (const { words, env } of runs) {
  Object.assign(process.env, env);
  const terminal = createTerminal(process);
  const code = await runProgram(words, terminal, process.env);
  await terminal.flush();
  process.stdout.write(`\nended with ${code}\n`);
}
process.exit(0);
