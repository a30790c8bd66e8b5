import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOrdersClient } from '@orders/client';
import type { OutboxOptions } from '../outbox-options.ts';
import { reasonOf } from '../reason-of.ts';
import { CommandFailure } from './command-failure.ts';
import type { Sender } from './work-settings.ts';

/** What sends, and where to, for people. */
export interface LoadedClient {
  readonly client: OutboxOptions['client'];
  readonly to: string;
  /** Closes a client that was made here. */
  close(): Promise<void>;
}

/** Makes the client, or takes that of a module. @throws CommandFailure that says what to write instead. */
export async function loadClient(sender: Sender): Promise<LoadedClient> {
  if ('file' in sender)
    return { client: await importClient(sender.file), to: sender.file, close: async () => {} };
  try {
    const client = createOrdersClient(sender);
    return { client, to: sender.baseUrl, close: () => client.close() };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFailure(nameFlags(error.message), 2, { cause: error });
  }
}

async function importClient(file: string): Promise<OutboxOptions['client']> {
  let module: { readonly client?: unknown };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new CommandFailure(`--client ${file} cannot be loaded: ${reasonOf(error)}`, 1, { cause: error });
  }
  const { client } = module;
  if (isClient(client)) return client;
  throw new CommandFailure(`--client ${file}: export an orders client by the name "client".`);
}

function isClient(value: unknown): value is OutboxOptions['client'] {
  if (typeof value !== 'object' || value === null) return false;
  const { prepareUpdateOrder, safeUpdateOrder } = value as Readonly<Record<string, unknown>>;
  return typeof prepareUpdateOrder === 'function' && typeof safeUpdateOrder === 'function';
}

/** Options of the client have the names of code; a reader at a prompt knows the flags. */
function nameFlags(message: string): string {
  const flags = {
    baseUrl: 'the base URL',
    apiKey: 'ORDERS_API_KEY',
    allowInsecureHttp: '--allow-insecure-http',
  };
  return message.replace(
    /\b(baseUrl|apiKey|allowInsecureHttp)\b/g,
    (name) => flags[name as keyof typeof flags],
  );
}
