/** Runs commands one after another while each succeeds: `node .ci/in-turn.ts turbo run build --then node app.js`. */
import process from 'node:process';
import { runCommand } from './run-command.ts';

for (const [program = '', ...words] of commandsOf(process.argv.slice(2))) {
  const exitCode = await runCommand(program, words);
  if (exitCode !== 0) process.exit(exitCode);
}

function commandsOf(words: readonly string[]): readonly (readonly string[])[] {
  const end = words.indexOf('--then');
  return end < 0 ? [words] : [words.slice(0, end), ...commandsOf(words.slice(end + 1))];
}
