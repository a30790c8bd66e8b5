#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArguments } from './arguments.ts';
import type { Terminal } from './commands.ts';
import { stripControlChars } from './draw.ts';
import { CommandError, describeError, kindOfError } from './errors.ts';

const { stdin, stdout, stderr, env } = process;
const key = env['ORDERS_API_KEY'] ?? '';
const forms = [
  ...[key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)],
  ...[`${key}:`, key].map((text) => Buffer.from(text).toString('base64')),
];

/** What is printed may come from a module of the user or from the service, which know the key. */
function redact(text: string): string {
  const printable = stripControlChars(text);
  // A shorter key occurs by chance in texts that have nothing to do with it.
  return key.length < 8
    ? printable
    : forms.reduce((clean, form) => clean.replaceAll(form, '[secret]'), printable);
}

let hasFailed = false;
const ending = new AbortController();
stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader may leave; an output that cannot be stored, as on a full disk, is lost.
  if (error.code !== 'EPIPE' && !ending.signal.aborted) {
    terminal.writeError(`The output could not be written: ${error.message}`);
    hasFailed = true;
  }
  ending.abort();
});
// An error that cannot be written must not end the process.
stderr.on('error', () => {});

const terminal: Terminal = {
  print: (...lines) => void stdout.write(lines.map((line) => `${redact(line)}\n`).join('')),
  writeError: (message) => void stderr.write(`orders-outbox: ${redact(message)}\n`),
  clear: () => void (stdout.isTTY && stdout.write('\u001b[H\u001b[J')),
  confirm:
    stdin.isTTY && stderr.isTTY
      ? async (question) => {
          const lines = createInterface({ input: stdin, output: stderr });
          return (await lines.question(question).finally(() => lines.close())).trim() === 'yes';
        }
      : undefined,
  ending: ending.signal,
};

process.exitCode = await main();
// A module of the user, or a database that went away, may keep the process.
stdout.write('', () => setImmediate(() => process.exit(hasFailed ? 1 : process.exitCode)));

async function main(): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const code =
      error instanceof Error && error.name === 'OutboxError' && 'code' in error ? `${error.code}: ` : '';
    terminal.writeError(`${code}${describeError(error)}`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function run(): Promise<number> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const given = parseArguments(process.argv.slice(2), env, version);
  if (typeof given === 'string') {
    stdout.write(given);
    return 0;
  }
  const { name, place, options } = given;
  if (name === 'start') {
    const stopped = Promise.withResolvers<string>();
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        stopped.resolve(signal);
        // What is in flight then needs review, as after a crash.
        if (++signals > 1) process.exit(1);
      });
    if (options.client !== undefined)
      process.on('uncaughtException', (error) => {
        terminal.writeError(
          `A module threw ${kindOfError(error)}; its message may contain the key and is left out.`,
        );
        process.exit(1);
      });
    const { formatLogEntry, startWorker } = await import('./start.ts');
    const stop = await startWorker(given, env, (entry) =>
      terminal.print(formatLogEntry(entry, new Date(), options.json ?? false)),
    );
    await stop(await stopped.promise);
    return 0;
  }
  if (options.watch)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const { runCommand, runMigrate } = await import('./commands.ts');
  if (name === 'migrate') {
    await runMigrate(place, options, terminal);
    return 0;
  }
  const { openOperations } = await import('./operations.ts');
  const operations = await openOperations(place);
  try {
    return (await runCommand(operations, given, terminal)) ? 0 : 1;
  } finally {
    await operations.close();
  }
}
