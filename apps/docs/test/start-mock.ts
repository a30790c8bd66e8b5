import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';

/** The command `orders`, as a program of Node. */
export const ordersProgram: readonly string[] = [
  '--conditions=@orders/source',
  join(import.meta.dirname, '../node_modules/@orders/cli/src/main.ts'),
];

/** A mock order service that was started at a prompt. */
export interface PromptService extends AsyncDisposable {
  /** The environment of its reader's next command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts `orders mock` with the options of a command line of a page, but on a free port. */
export async function startAtPrompt(command: string): Promise<PromptService> {
  const words = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
  const options = words.slice(words.indexOf('mock')).map((word) => (word === '8402' ? '0' : word));
  const service = spawn(process.execPath, [...ordersProgram, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await readUntil(service, /Update an order/);
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
