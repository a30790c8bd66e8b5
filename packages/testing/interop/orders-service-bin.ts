import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { endWithUs } from './end-with-us.ts';
import { programOf } from './installed.ts';
import { onLoopback, quiet } from './run-tool.ts';

const longestMs = 10_000;

/** Starts the built `orders-service` and gives the command that it prints; disposing of it ends it. */
export async function startOrdersServiceBin(): Promise<AsyncDisposable & { readonly command: string }> {
  const program = programOf(import.meta.resolve('@orders/testing/package.json'), 'orders-service');
  const child = spawn(process.execPath, [...onLoopback, program], {
    env: quiet,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  const closed = once(child, 'close');
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  try {
    return { command: await readCommand(child.stdout), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw new Error('orders-service printed no command', { cause: error });
  }
}

async function readCommand(stdout: Readable): Promise<string> {
  const signal = AbortSignal.timeout(longestMs);
  let output = '';
  for (;;) {
    const [chunk] = await once(stdout, 'data', { signal });
    output += String(chunk);
    const command = /^ *(curl .*)\n/m.exec(output)?.[1];
    if (command !== undefined) return command;
  }
}
