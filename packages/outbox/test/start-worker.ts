import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../.ci/start-quickly.ts';
import type { ChildOrders } from './worker-child.ts';

/** Starts a process that works on an outbox, and waits until it does. */
export async function startWorker(orders: ChildOrders): Promise<{ kill(): Promise<void> }> {
  const script = join(import.meta.dirname, 'worker-child.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', script, JSON.stringify(orders)],
    { env: { ...quickly.env, ...process.env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const working = child.stdout && once(child.stdout, 'data');
  await Promise.race([
    working,
    ended.then(() => {
      throw new Error(`The worker ended before it worked: ${said}`);
    }),
  ]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
