import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../.ci/free-ports.ts';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { Sandbox } from '../proxies/proxies.ts';

/** A PgBouncer program. */
export interface PgBouncer {
  readonly program: string;
  readonly version: string;
  /** Whether it can follow prepared statements from one connection to another: since 1.21. */
  readonly followsStatements: boolean;
}

/** The program that the variable PGBOUNCER names, or the one that is installed. */
export function findPgBouncer(): PgBouncer | undefined {
  // Debian keeps servers where the PATH of an ordinary user does not lead.
  for (const program of [process.env['PGBOUNCER'], 'pgbouncer', '/usr/sbin/pgbouncer']) {
    if (!program) continue;
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    const [, version = '', minor = ''] = /PgBouncer (1\.(\d+)[\d.]*)/.exec(stdout ?? '') ?? [];
    if (status === 0) return { program, version, followsStatements: Number(minor) >= 21 };
  }
  return undefined;
}

export interface PoolerOptions {
  readonly poolSize: number;
  /** How many prepared statements it follows on each connection. @default its own */
  readonly preparedStatements?: number | undefined;
}

/** A pooler that runs until it is disposed of. */
export interface Pooler extends AsyncDisposable {
  readonly connectionString: string;
}

/**
 * Starts a PgBouncer in transaction mode before a database on loopback. It opens its connections anew every four seconds,
 * and otherwise is as it comes: it refuses startup parameters.
 */
export async function startPooler(
  { program }: PgBouncer,
  connectionString: string,
  { poolSize, preparedStatements }: PoolerOptions,
): Promise<Pooler> {
  const sandbox = new Sandbox();
  const port = await freePort();
  const url = new URL(connectionString);
  const users = join(sandbox.dir, 'users.txt');
  const file = join(sandbox.dir, 'pgbouncer.ini');
  await writeFile(users, `"${url.username}" "${url.password}"\n`);
  await writeFile(
    file,
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = /dev/fd/4
pool_mode = transaction
default_pool_size = ${poolSize}
server_lifetime = 4
server_login_retry = 1
${preparedStatements === undefined ? '' : `max_prepared_statements = ${preparedStatements}`}
`,
  );
  // It refuses to run as root.
  const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  // Where the folder is root's, its user cannot open a file by name.
  const files = await Promise.all(
    [file, users].map(async (path) => {
      await chmod(path, 0o644);
      return open(path);
    }),
  );
  const stdio = ['ignore', 'ignore', 'pipe', ...files.map(({ fd }) => fd)] as const;
  const child = sandbox.spawn(program, ['/dev/fd/3'], { stdio: [...stdio], ...unprivileged });
  await Promise.all(files.map((each) => each.close()));
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed = `${printed}${chunk}`.slice(-2_000);
  });
  const ended = once(child, 'exit');
  url.port = String(port);
  for (const until = Date.now() + insideTestLimitMs; ; await delay(50)) {
    const client = new pg.Client(url.href);
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (child.exitCode === null && Date.now() < until) continue;
      await sandbox[Symbol.asyncDispose]();
      throw new Error(`PgBouncer did not start: ${printed}`, { cause: error });
    }
  }
  return {
    connectionString: url.href,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await ended;
    },
  };
}
