import process from 'node:process';
import { OutboxError } from '@orders/outbox';
import { lockFolder } from '@orders/outbox/pglite';

// Locks the folder until its standard input ends, and prints what came of it.
process.stdin.once('end', () => process.exit()).resume();
// As a process does that stores its outcomes before it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
const locking = lockFolder(process.argv[2] ?? '').then(
  () => 'held',
  (error: unknown) => (error instanceof OutboxError ? error.code : String(error)),
);
process.stdout.write(`${await locking}\n`);
