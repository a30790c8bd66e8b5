import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../.ci/start-quickly.ts';
import type { ChildOrders } from './worker-child.ts';

/** A process that runs a worker of an outbox. */
export interface WorkerChild {
  kill(): Promise<void>;
}

/** Starts a process that runs a worker of an outbox, and waits until the worker has started. */
export async function startWorker(orders: ChildOrders): Promise<WorkerChild> {
  const script = join(import.meta.dirname, 'worker-child.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', script, JSON.stringify(orders)],
    { env: { ...quickly.env, ...process.env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const working = child.stdout && once(child.stdout, 'data');
  await Promise.race([
    working,
    ended.then(() => {
      throw new Error(`The worker ended before it started: ${errors}`);
    }),
  ]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
