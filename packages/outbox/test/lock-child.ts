import { join } from 'node:path';
import process from 'node:process';
import { lockFile } from '../src/file-lock.ts';

// Locks the folder until its standard input ends, and prints whether it could.
process.stdin.once('end', () => process.exit()).resume();
// As a process does that stores its outcomes before it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
const lock = await lockFile(join(process.argv[2] ?? '', 'lock.sqlite'));
process.stdout.write(lock ? 'held\n' : 'locked\n');
