import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { quickly } from '../../../.ci/start-quickly.ts';
import type { ChildOrders } from './worker-child.ts';

/** A process that works on an outbox. */
export interface WorkerChild {
  /** Whether it has stored what became of an update. */
  hasSettled(id: string): boolean;
  kill(): Promise<void>;
  /** Stops it with SIGSTOP, or lets it go on. */
  stall(isStalled: boolean): void;
}

/** Starts a process that works on an outbox, and waits until it does. */
export async function startWorker(orders: ChildOrders): Promise<WorkerChild> {
  const script = join(import.meta.dirname, 'worker-child.ts');
  const child: ChildProcess = spawn(
    process.execPath,
    [...quickly.flags, '--conditions=@orders/source', script, JSON.stringify(orders)],
    { env: { ...quickly.env, ...process.env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let said = '';
  let told = '';
  child.stdout?.on('data', (chunk) => {
    told += chunk;
  });
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
    hasSettled: (id) => told.includes(`settled ${id}\n`),
    stall(isStalled) {
      child.kill(isStalled ? 'SIGSTOP' : 'SIGCONT');
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
