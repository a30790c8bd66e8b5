import process from 'node:process';
import { styleText } from 'node:util';
import { BootProblem } from './boot/boot-problem.ts';
import { formatAddresses, formatGreeting, type Paint } from './boot/format-greeting.ts';
import { greetService } from './boot/greet-service.ts';
import { openDesk } from './boot/open-desk.ts';
import { readArguments, type Settings } from './boot/read-arguments.ts';
import { StorageProblem } from './storage/storage-problem.ts';

const wanted = readArguments(process.argv.slice(2), {
  ORDERS_API_KEY: process.env['ORDERS_API_KEY'],
  DATABASE_URL: process.env['DATABASE_URL'],
});
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else await run(wanted.settings);

async function run(settings: Settings): Promise<void> {
  // Whoever read the output may leave, and the desk goes on.
  process.stdout.on('error', () => {});
  let isClosing = false;
  try {
    const desk = await openDesk(settings, { warn });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // Once everything is closed the loop is empty, so the process ends with 0 and its output is flushed.
      process.once(signal, () => {
        isClosing = true;
        desk.close().catch(failLate);
      });
    }
    process.stdout.write(`\n${formatAddresses(desk, paint)}\n`);
    for await (const greeting of greetService(desk)) {
      if (isClosing) return;
      process.stdout.write(formatGreeting(greeting, paint));
    }
    process.stdout.write(`\n${paint('dim', 'Ctrl-C stops it.')}\n`);
  } catch (error) {
    // What is cut off on purpose is no failure.
    if (isClosing) return;
    if (!(error instanceof BootProblem || error instanceof StorageProblem)) throw error;
    fail(error.message, 1);
  }
}

/** Colours are off when the output is no terminal, and when NO_COLOR says so. */
function paint(...[style, text]: Parameters<Paint>): string {
  return styleText(style, text, { stream: process.stdout });
}

/** What is not stored now is found, and settled, by the next start. */
function failLate(error: unknown): void {
  fail(`not everything could be ended (${error instanceof Error ? error.name : 'Error'}).`, 1);
}

function warn(line: string): void {
  process.stderr.write(`merchant: ${line}\n`);
}

function fail(message: string, exitCode: number): void {
  warn(message.replace(/\s+/g, ' '));
  process.exitCode = exitCode;
}
