#!/usr/bin/env node
import process from 'node:process';
import { styleText } from 'node:util';
import { OutboxError } from '../outbox-error.ts';
import { reasonOf } from '../reason-of.ts';
import { CommandFailure } from './command-failure.ts';
import { formatLogEntry } from './log-entry.ts';
import { openOperations } from './open-operations.ts';
import type { Operations } from './operations.ts';
import { plainly } from './plainly.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import { readVersion } from './read-version.ts';
import type { Screen } from './screen.ts';

type Command = Exclude<Arguments, { readonly wish: 'print' | 'none' }>;
type Asked<Wish extends Command['wish']> = Extract<Command, { readonly wish: Wish }>;

const styles = { alarm: 'red', care: 'yellow', fine: 'green', dim: 'dim' } as const;

const key = process.env['ORDERS_API_KEY'];
/** What a module of the user's own says may hold the key. */
const withoutKey = (text: string): string => (key ? text.replaceAll(key, '…') : text);

const screen: Screen = {
  isTerminal: process.stdout.isTTY === true,
  print: (text) => void process.stdout.write(text),
  complain: (message) => void process.stderr.write(`orders-outbox: ${plainly(withoutKey(message))}\n`),
  // Plain where the output is no terminal, and under NO_COLOR.
  paint: (text, reason) => styleText(styles[reason], text, { stream: process.stdout }),
};

// Where complaints cannot be written, as on the same full disk, nobody can be told; that must not end the process.
process.stderr.on('error', () => {});

let failed = false;
/** Fires once nothing more can be printed. */
const unread = new AbortController();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read the output may leave; whoever cannot keep it, as a full disk, has lost something.
  if (error.code !== 'EPIPE' && !unread.signal.aborted) {
    screen.complain(`The output could not be written: ${error.message}`);
    failed = true;
  }
  unread.abort();
});

// A module of the user's own may never be loaded to its end: Node ends then, since nothing is left to wait for.
process.exitCode = 1;
process.once('beforeExit', () => screen.complain('A module waits for something that never happens.'));
process.exitCode = await main();
// A module of the user's own, or a database that went away, may keep the process.
process.stdout.write('', () => setImmediate(() => process.exit(failed ? 1 : process.exitCode)));

async function main(): Promise<number> {
  const wanted = readArguments(process.argv.slice(2), {
    databaseUrl: process.env['DATABASE_URL'],
    baseUrl: process.env['ORDERS_BASE_URL'],
    apiKey: process.env['ORDERS_API_KEY'],
    version: readVersion(),
  });
  if (wanted.wish === 'print') screen.print(wanted.text);
  else if (wanted.wish === 'none') screen.complain(wanted.mistake);
  else {
    try {
      return await run(wanted);
    } catch (error) {
      screen.complain(error instanceof OutboxError ? `${error.code}: ${error.message}` : reasonOf(error));
      return error instanceof CommandFailure ? error.exitCode : 1;
    }
  }
  return wanted.wish === 'print' ? 0 : 2;
}

async function run(wanted: Command): Promise<number> {
  const { place, asJson } = wanted;
  if (wanted.wish === 'work') return work(wanted);
  if (wanted.wish === 'migrate') {
    const { migrateTables } = await import('./run-migrate.ts');
    await migrateTables(place, asJson, screen);
    return 0;
  }
  // What fails is told by the command, or by the live table.
  const operations = await openOperations(place, () => {});
  try {
    return await operate(operations, wanted);
  } finally {
    await operations.close();
  }
}

async function operate(
  operations: Operations,
  wanted: Exclude<Command, { readonly wish: 'work' | 'migrate' }>,
): Promise<number> {
  switch (wanted.wish) {
    case 'status':
      await status(operations, wanted);
      return 0;
    case 'dead': {
      const { listDead } = await import('./run-dead.ts');
      await listDead(operations, wanted, screen);
      return 0;
    }
    case 'retry':
    case 'discard': {
      const { decide } = await import('./run-decide.ts');
      const isLong = screen.isTerminal && !wanted.asJson && !Array.isArray(wanted.which);
      const progress = isLong ? (await import('log-update')).createLogUpdate(process.stdout) : undefined;
      return (await decide(operations, wanted, screen, progress)) ? 0 : 1;
    }
    case 'show': {
      const { showUpdate } = await import('./run-look-up.ts');
      await showUpdate(operations, wanted, screen);
      return 0;
    }
    case 'history': {
      const { showHistory } = await import('./run-look-up.ts');
      await showHistory(operations, wanted, screen);
      return 0;
    }
  }
}

async function status(
  operations: Operations,
  { place, asJson, once, watch }: Asked<'status'>,
): Promise<void> {
  const { showStatus, watchStatus } = await import('./run-status.ts');
  const isLive = screen.isTerminal && !asJson && !once;
  if (!isLive && !watch) return showStatus(operations, asJson, screen);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const watched = { place, operations, signal: AbortSignal.any([ending.signal, unread.signal]) };
  if (!isLive) return watchStatus(watched, screen);
  const { createLogUpdate } = await import('log-update');
  return watchStatus(watched, screen, createLogUpdate(process.stdout));
}

async function work({ place, settings, asJson }: Asked<'work'>): Promise<number> {
  const stopped = Promise.withResolvers<string>();
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopped.resolve(signal);
      // What is on its way then is parked later, as after a crash.
      if (++signals > 1) process.exit(1);
    });
  }
  const { startWork } = await import('./start-work.ts');
  const running = await startWork(place, settings, (entry) =>
    screen.print(withoutKey(formatLogEntry(entry, new Date(), asJson))),
  );
  await running.stop(await stopped.promise);
  return 0;
}
