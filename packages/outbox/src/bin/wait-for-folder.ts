import { OutboxError } from '../outbox-error.ts';
import { rest } from '../rest.ts';
import { askWorker } from './ask-worker.ts';
import type { Operations } from './operations.ts';

/** How long a folder that is in use is waited for, and how often it is looked at, in milliseconds. */
const patienceMs = 2_000;
const againMs = 100;

/**
 * Finds the process that works on a folder, or else opens the folder here. One that is in use by neither is waited for
 * a little: a command that only looks has it for a moment, and so has a worker before it answers.
 *
 * @throws OutboxError `folder_in_use`, or what `open` throws.
 */
export async function waitForFolder<Opened>(
  { folder, schema }: { readonly folder: string; readonly schema: string },
  open: () => Promise<Opened>,
): Promise<{ readonly worker: Operations } | { readonly opened: Opened }> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const worker = await askWorker(folder, schema);
    if (worker) return { worker };
    try {
      return { opened: await open() };
    } catch (error) {
      const isInUse = error instanceof OutboxError && error.code === 'folder_in_use';
      if (!isInUse || performance.now() >= until) throw error;
    }
    await rest(againMs);
  }
}
