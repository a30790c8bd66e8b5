import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './start-database.ts';
import type { RedisServer } from './start-redis.ts';

export type Engine = 'pglite' | 'postgres' | 'redis';

/** The servers that queues are kept in. */
export interface Servers {
  readonly database: Database;
  /** Undefined where there is none. */
  readonly redis: RedisServer | undefined;
  /** Where folders of PGlite are made. */
  readonly folder: string;
}

/** Where one queue is kept for one measurement. */
export interface Place {
  /** A connection string, the address of Redis, or a folder. */
  readonly address: string;
  /** Puts it in order before something is measured. */
  settle(): Promise<void>;
  /** Another with the same content; nobody may be connected to this one. */
  copy(): Promise<Place>;
  /** CPU time of its server so far, in milliseconds; undefined when it has none of its own, or nobody can tell. */
  serverCpuMs(): Promise<number | undefined>;
  remove(): Promise<void>;
}

/** Makes an empty place. */
export async function openPlace(engine: Engine, { database, redis, folder }: Servers): Promise<Place> {
  if (engine === 'pglite') return makeFolder(folder);
  if (engine === 'postgres') return makeDatabase(database);
  if (!redis) throw new Error('There is no Redis here.');
  return clearRedis(redis);
}

async function makeDatabase(database: Database, template?: string): Promise<Place> {
  const address = await database.create(template);
  return {
    address,
    settle: () => database.settle(address),
    copy: () => makeDatabase(database, address),
    serverCpuMs: () => database.cpuMs(),
    remove: () => database.drop(address),
  };
}

async function makeFolder(within: string, source?: string): Promise<Place> {
  const address = await mkdtemp(join(within, 'pglite-'));
  if (source !== undefined) await cp(source, address, { recursive: true });
  return {
    address,
    settle: async () => {},
    copy: () => makeFolder(within, address),
    serverCpuMs: async () => undefined,
    remove: () => rm(address, { recursive: true, force: true }),
  };
}

async function clearRedis(redis: RedisServer): Promise<Place> {
  await redis.clear();
  return {
    address: redis.address,
    settle: async () => {},
    copy: () => Promise.reject(new Error('A queue in Redis is not copied.')),
    serverCpuMs: () => redis.cpuMs(),
    remove: () => redis.clear(),
  };
}
