import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { createOutbox, type Outbox, OutboxError, type OutboxStore, postgresStore } from '@orders/outbox';
import { type Events, eventsOf } from '@orders/outbox/inbox';
import { CommandError, commandLine, describeError, type Environment } from '../terminal.ts';

/** The options that name an outbox. */
export interface LocationOptions {
  readonly databaseUrl?: string;
  readonly folder?: string;
  readonly databaseSchema: string;
}

/** Where an outbox is. */
export type OutboxLocation = { readonly databaseSchema: string } & (
  | { readonly folder: string }
  /** It may hold a password. */
  | { readonly connectionString: string }
);

/** Reads where the outbox is, which is never guessed. @throws CommandError */
export function readLocation(
  { databaseUrl, folder, databaseSchema }: LocationOptions,
  env: Environment,
): OutboxLocation {
  if (folder !== undefined) {
    if (folder === '') throw new CommandError('--folder is empty.', 2);
    return { folder, databaseSchema };
  }
  const connectionString = databaseUrl ?? env['DATABASE_URL'];
  // A secret that is missing must not look like a choice.
  if (connectionString === '')
    throw new CommandError('DATABASE_URL is empty: write a URL, or pass --folder.', 2);
  if (connectionString !== undefined) return { connectionString, databaseSchema };
  throw new CommandError('Where is the outbox?', 2, {
    hint: 'Set DATABASE_URL or pass --database-url for PostgreSQL, or pass --folder.',
  });
}

const usualSchema = 'orders_outbox';

/** The command line of another command on the same outbox. A URL stays out of it, since it may hold a password. */
export function outboxLine(
  { folder, databaseUrl, databaseSchema }: LocationOptions,
  ...words: readonly string[]
): string {
  const line = commandLine([
    ...['orders', 'outbox', ...words],
    ...(folder === undefined ? [] : ['--folder', folder]),
    ...(databaseSchema === usualSchema ? [] : ['--database-schema', databaseSchema]),
  ]);
  return folder === undefined && databaseUrl !== undefined ? `DATABASE_URL=... ${line}` : line;
}

/** What a worker on a folder is asked to do for other processes. */
const methods = {
  outbox: ['status', 'list', 'get', 'history', 'retry', 'resolve', 'discard', 'resume', 'restored'],
  events: ['get', 'list', 'counts', 'retry', 'discard'],
} as const;
type Part = keyof typeof methods;

/** What commands call of an outbox, whether this process has it open or a worker on the same folder has. */
export type Operations = Pick<Outbox, (typeof methods.outbox)[number] | 'close'> & {
  /** Those of the inbox in the same tables. */
  readonly events: Events;
  /** Where it is, for people. */
  readonly place: string;
  /** Whether no worker can open the outbox as long as this is open. */
  readonly isExclusive: boolean;
};

/** Opens the store of an outbox, whose folder is made where there is none. @throws CommandError; OutboxError */
export async function openStore(location: OutboxLocation): Promise<OutboxStore> {
  if ('folder' in location) {
    const { pgliteStore } = await import('@orders/outbox/pglite').catch((error: Error) => {
      if (!error.message.includes('@electric-sql/pglite')) throw error;
      throw new CommandError('--folder needs PGlite: install @electric-sql/pglite beside @orders/cli.');
    });
    return pgliteStore(location.folder);
  }
  try {
    return postgresStore({ connectionString: location.connectionString });
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(
      message.replace(/^postgresStore: write connectionString/, 'DATABASE_URL: write it'),
    );
  }
}

/**
 * Opens an outbox for a command that sends nothing and makes none. `warn` gets what opening it changed.
 *
 * @throws CommandError; OutboxError
 */
export async function openOperations(
  location: OutboxLocation,
  warn: (message: string) => void,
): Promise<Operations> {
  if (!('folder' in location)) return openHere(location, warn);
  const { folder } = location;
  // PGlite would make one, in a folder whose name may be misspelled.
  if (!existsSync(join(folder, 'data')))
    throw new CommandError(`There is no outbox in ${resolve(folder)}.`, 3, {
      hint: `To make one: ${outboxLine(location, 'migrate')}`,
    });
  try {
    const found = await findWorkerOr(location, () => openHere(location, warn));
    return 'worker' in found ? found.worker : found.opened;
  } catch (error) {
    if (!(error instanceof OutboxError && error.code === 'folder_locked')) throw error;
    const message = `${folder} is in use by an application: decide there, with list, retry, resolve and discard. Is it a worker of another user? Run this as that user.`;
    throw new OutboxError('folder_locked', message, { cause: error });
  }
}

async function openHere(location: OutboxLocation, warn: (message: string) => void): Promise<Operations> {
  const store = await openStore(location);
  const { databaseSchema } = location;
  let isOpen = false;
  const outbox = await createOutbox({
    store,
    databaseSchema,
    migrate: false,
    // What fails later is reported by the command.
    warn: (message) => isOpen || warn(message),
  });
  isOpen = true;
  return {
    ...outbox,
    events: eventsOf(store, databaseSchema),
    place: store.place,
    isExclusive: store.backend === 'pglite',
    close: () => outbox.close({ graceMs: 0 }),
  };
}

/** The message of an outbox, whose options have the names of code; who reads this wrote flags. */
export function nameFlags(message: string, options: LocationOptions): string {
  return message
    .replace(/run the command "migrate"(, call migrate\(\), or pass migrate: true)?/, () => {
      return `run "${outboxLine(options, 'migrate')}"`;
    })
    .replace(', or lower maxConnections', '')
    .replace(
      /\b(keepSettled|keepRejected|databaseSchema)(?:Ms)?\b/g,
      (_, name: keyof typeof flags) => flags[name],
    );
}

const flags = {
  keepSettled: '--keep-settled',
  keepRejected: '--keep-rejected',
  databaseSchema: '--database-schema',
};

/** Runs what may fail as an outbox does. @throws CommandError */
export async function naming<T>(options: LocationOptions, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OutboxError)
      throw new CommandError(`${error.code}: ${nameFlags(error.message, options)}`, 3, { code: error.code });
    if (!(error instanceof TypeError) || !error.message.startsWith('databaseSchema')) throw error;
    throw new CommandError(nameFlags(error.message, options), 2);
  }
}

/** How long a locked folder is waited for, and how often it is tried, in milliseconds. */
const lockedMs = { longest: 2_000, between: 100 };

/**
 * Finds the worker on a folder, or opens the folder here. A lock by neither is waited for: another command holds it for
 * a moment, and so does a worker before it serves.
 *
 * @throws OutboxError `folder_locked`, or what `open` throws.
 */
export async function findWorkerOr<Opened>(
  location: Extract<OutboxLocation, { folder: string }>,
  open: () => Promise<Opened>,
): Promise<{ readonly worker: Operations } | { readonly opened: Opened }> {
  const until = performance.now() + lockedMs.longest;
  for (;;) {
    const worker = await connectToWorker(location);
    if (worker) return { worker };
    try {
      return { opened: await open() };
    } catch (error) {
      const isLocked = error instanceof OutboxError && error.code === 'folder_locked';
      if (!isLocked || performance.now() >= until) throw error;
    }
    await sleep(lockedMs.between);
  }
}

/** The file in a folder that holds where its worker serves commands. */
const fileName = 'worker.json';

interface WorkerAddress {
  readonly port: number;
  readonly secret: string;
  readonly databaseSchema: string;
}

interface Call {
  readonly part: Part;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly code: unknown; readonly message: string } };

/**
 * Serves commands of other processes on loopback, to those who can read the secret in the folder. Resolves with what ends it.
 */
export async function serveOperations(
  { folder, databaseSchema }: { readonly folder: string; readonly databaseSchema: string },
  parts: { readonly outbox: Outbox; readonly events: Events },
): Promise<() => Promise<void>> {
  const secret = randomBytes(32).toString('base64url');
  const server = createServer((incoming, response) => {
    if (!timingSafeEqual(digest(incoming.headers.authorization), digest(`Bearer ${secret}`)))
      return void response.writeHead(401).end();
    if (incoming.method === 'GET') return void response.end(serialize({ value: undefined }));
    callMethod(incoming, parts).then(
      (reply) => response.end(serialize(reply)),
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(folder, fileName);
  const draft = join(folder, `worker-${randomUUID()}.json`);
  await writeFile(draft, JSON.stringify({ port, secret, databaseSchema } satisfies WorkerAddress), {
    mode: 0o600,
  });
  // Readers see a whole file, with the mode of the new one.
  await rename(draft, file);
  return async () => {
    await rm(file, { force: true });
    server.close();
    server.closeIdleConnections();
  };
}

async function callMethod(
  incoming: IncomingMessage,
  parts: { readonly outbox: Outbox; readonly events: Events },
): Promise<Reply> {
  const { part, method, args }: Call = deserialize(await buffer(incoming));
  if (!Object.hasOwn(methods, part) || !(methods[part] as readonly string[]).includes(method))
    throw new TypeError('unknown method');
  try {
    const calls = parts[part] as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
    return { value: await calls[method]?.(...args) };
  } catch (error) {
    const { code, message } = error as OutboxError;
    return { error: { code: error instanceof OutboxError && code, message } };
  }
}

/** Texts of different lengths cannot be compared in constant time; their digests can. */
function digest(text = ''): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * How long a worker may take, in milliseconds: to show that it is alive, also where its machine is busy (nothing listens on
 * the port of one that is gone), and to do what it is called for.
 */
const callMs = { first: 10_000, other: 60_000 };

/** Connects to the worker on a folder; `undefined` when there is none. @throws CommandError when it has another schema. */
export async function connectToWorker({
  folder,
  databaseSchema,
}: Extract<OutboxLocation, { folder: string }>): Promise<Operations | undefined> {
  let address: WorkerAddress;
  try {
    address = JSON.parse(await readFile(join(folder, fileName), 'utf8'));
    // Its process may be gone, and its port be of another.
    await send(address, undefined, callMs.first);
  } catch {
    return undefined;
  }
  if (address.databaseSchema !== databaseSchema)
    throw new CommandError(`${folder} is in use by a worker on its schema ${address.databaseSchema}.`, 3, {
      hint: `Pass --database-schema ${address.databaseSchema}.`,
    });

  async function call(called: Call): Promise<unknown> {
    const reply = await send(address, called, callMs.other).catch((error: unknown) => {
      throw new CommandError(`The worker on ${folder} did not respond: ${describeError(error)}`);
    });
    if ('value' in reply) return reply.value;
    const { code, message } = reply.error;
    throw code ? new OutboxError(code as OutboxError['code'], message) : new CommandError(message);
  }
  const remote = (part: Part): unknown =>
    Object.fromEntries(
      methods[part].map((method) => [method, (...args: readonly unknown[]) => call({ part, method, args })]),
    );
  return {
    ...(remote('outbox') as Outbox),
    events: remote('events') as Events,
    place: folder,
    isExclusive: false,
    close: async () => {},
  };
}

async function send(
  { port, secret }: WorkerAddress,
  call: Call | undefined,
  timeoutMs: number,
): Promise<Reply> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: call ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${secret}` },
    // The global agent may go through a proxy.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  });
  // Once the response has begun, its reader gets the error.
  outgoing.on('error', () => {});
  outgoing.end(call && serialize(call));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = await buffer(incoming);
  if (incoming.statusCode !== 200) throw new Error(`status ${incoming.statusCode}`);
  return deserialize(body);
}
