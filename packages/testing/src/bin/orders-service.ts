#!/usr/bin/env node
import process from 'node:process';
import { startOrderService } from '../service/order-service.ts';
import { formatLogLine } from './log-line.ts';
import { readArguments, type Settings } from './read-arguments.ts';
import { readVersion } from './read-version.ts';
import { formatReadyMessage } from './ready-message.ts';

const wanted = readArguments(process.argv.slice(2), {
  key: process.env['ORDERS_SERVICE_KEY'],
  version: readVersion(),
});
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else await run(wanted.settings);

async function run({ log, keys, ...options }: Settings): Promise<void> {
  const isMade = keys.length === 0;
  let secrets = keys.map(({ key }) => key);
  try {
    const service = await startOrderService({
      ...options,
      ...(isMade ? {} : { keys }),
      onRequest: (entry) => {
        if (log) process.stdout.write(`${formatLogLine(entry, secrets)}\n`);
      },
    });
    if (isMade) secrets = [service.key];
    // Whoever read the output may leave, and the service goes on.
    process.stdout.on('error', () => {});
    // The loop is empty once the service is closed, so the process ends with 0 and everything is flushed.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close());
    const tokens = service.orders.map(({ token }) => token);
    const madeKey = isMade ? service.key : undefined;
    process.stdout.write(formatReadyMessage({ url: service.url, tokens, madeKey, control: options.control }));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    fail(explainListenError(error, options), 1);
  }
}

function explainListenError(error: Error, { port, host }: Pick<Settings, 'port' | 'host'>): string {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  if (isTaken) return `port ${port} on ${host} is taken; give another with --port.`;
  return `cannot listen on port ${port} of ${host}: ${error.message}`;
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`orders-service: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = exitCode;
}
