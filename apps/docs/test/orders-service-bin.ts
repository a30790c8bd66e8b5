import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';

const bin = join(import.meta.dirname, '../node_modules/@orders/testing/src/bin/orders-service.ts');

/** A mock order service that was started at a prompt. */
export interface PromptService extends AsyncDisposable {
  /** What its reader has in the environment of the next command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts `orders-service` with the options of a command line of a page, but on a free port. */
export async function startAtPrompt(command: string): Promise<PromptService> {
  const words = command.trim().split(/\s+/);
  const options = words.slice(words.indexOf('service') + 1).map((word) => (word === '8402' ? '0' : word));
  const service = spawn(process.execPath, ['--conditions=@orders/source', bin, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await readUntil(service, /Control API|Update an order/);
  const find = (pattern: RegExp): string => pattern.exec(printed)?.[1] ?? '';
  return {
    env: {
      ORDERS_URL: find(/ready at (\S+)/),
      ORDER_TOKEN: find(/^ {2}(ord_\w+)$/m),
      ORDERS_API_KEY: words[words.indexOf('--key') + 1] ?? '',
    },
    async [Symbol.asyncDispose]() {
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await ended;
    },
  };
}

async function readUntil(service: ChildProcess, pattern: RegExp): Promise<string> {
  let printed = '';
  for await (const chunk of service.stdout ?? []) {
    printed += chunk;
    if (pattern.test(printed)) return printed;
  }
  throw new Error(`It ended after printing ${JSON.stringify(printed)}.`);
}
