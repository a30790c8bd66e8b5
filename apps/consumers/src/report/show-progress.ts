import process from 'node:process';
import type { Result } from '../rows/run-rows.ts';

/** Tells of each row as it ends, where somebody watches; the table comes at the end. */
export function showProgress(count: number): (result: Result, done: number) => void {
  return ({ row, reason }, done) => {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\u001b[K${done} of ${count}  ${reason === undefined ? '✓' : '✗'} ${row.name}`);
    if (done === count) process.stderr.write('\r\u001b[K');
  };
}
