import { PGlite } from '@electric-sql/pglite';
import { migrate, type OutboxStore, type Sql } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { makePglite } from '../../../.ci/make-pglite.ts';
import type { CommittedUpdate } from './observer.ts';
import type { Process } from './process.ts';
import { beginTime, drive, elapsedMs, inHost, randomRefills } from './virtual-time.ts';

/** How the connection of a process to its database ends: before a statement or commit is executed, or before the response. */
export type ConnectionFault = 'before' | 'after';

/** How long PostgreSQL lets a transaction stand still, in milliseconds: that of a worker, and any other. */
const idleMs = { worker: 5_000, other: 10_000 };

/** The database that all processes of a simulation share: one PGlite, which loses connections as PostgreSQL does. */
export class Database {
  readonly #pglite: PGlite;
  readonly #base: OutboxStore;
  /** What each table holds when a run begins. */
  readonly #tables: ReadonlyMap<string, string>;
  /** How many statements it was asked, begins and commits among them. */
  statements = 0;
  /** Whether nothing reaches it. */
  isDown = false;
  /** Called with the updates that a commit has changed, and with how many there are then. */
  onCommit: (changed: readonly CommittedUpdate[], count: number, by: Process) => void = () => {};
  /** Called with a statement, or the begin of a transaction, of a process whose outbox is closed. */
  onLateStatement: (text: string, by: Process) => void = () => {};
  /** The last transaction whose changes were seen. */
  #seen = '0';
  /** The next commits or statements of a process whose connection ends. */
  readonly #faults = new Map<
    Process,
    { readonly of: 'commit' | 'statement'; readonly when: ConnectionFault }[]
  >();

  static async open(): Promise<Database> {
    const pglite = await makePglite(PGlite, import.meta.url);
    beginTime(0);
    const base = await pgliteStore(pglite);
    await drive(migrate(base));
    // A table of the merchant.
    await pglite.exec(
      `create schema if not exists orders_outbox_shop;
       create table if not exists orders_outbox_shop.effects (number bigserial, event text, token text, update_id uuid)`,
    );
    const { rows } = await pglite.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'orders_outbox%'
         and format('%I.%I', schemaname, tablename)::regclass::oid not in (select inhrelid from pg_inherits) order by 1`,
    );
    const tables = new Map<string, string>();
    for (const { name } of rows) {
      const held = await pglite.query<{ rows: string | null }>(
        `select json_agg(t)::text as rows from ${name} as t`,
      );
      tables.set(name, held.rows[0]?.rows ?? '[]');
    }
    return new Database(pglite, base, tables);
  }

  private constructor(pglite: PGlite, base: OutboxStore, tables: ReadonlyMap<string, string>) {
    this.#pglite = pglite;
    this.#base = base;
    this.#tables = tables;
  }

  /** Makes it as it was when it was opened. */
  async reset(): Promise<void> {
    this.endFaults();
    await this.#pglite.exec(`truncate ${[...this.#tables.keys()].join(', ')} restart identity cascade`);
    for (const [name, rows] of this.#tables)
      if (rows !== '[]')
        await this.#pglite.query(
          `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1::text::json)`,
          [rows],
        );
    // What it has read ahead is of the run before.
    for (const before = randomRefills(); randomRefills() === before; )
      await this.#pglite.query('select gen_random_uuid()');
  }

  /** Does what a person may do with the queue by hand. */
  async meddle(as: 'odd job' | 'lost jobs'): Promise<void> {
    const jobs = 'orders_outbox_queue.job';
    await this.#pglite.query(
      as === 'lost jobs'
        ? `delete from ${jobs}`
        : `insert into ${jobs} (name, data, heartbeat_seconds, retry_limit) values ('lanes', null, 10, 1000000)`,
    );
  }

  /** What handlers did, in sequence, and whether the update that each enqueued is there. */
  async readEffects(): Promise<readonly Effect[]> {
    const { rows } = await this.#pglite.query<Effect>(
      `select event, token, exists (select from orders_outbox.updates where id = update_id) as "isEnqueued"
       from orders_outbox_shop.effects order by number`,
    );
    return rows;
  }

  /** Resolves once no transaction is open. */
  async whenFree(): Promise<void> {
    await this.#pglite.query('select');
  }

  close(): Promise<void> {
    return this.#pglite.close();
  }

  /** Ends the connection of a process at its next commit or statement. */
  failNext(process: Process, of: 'commit' | 'statement', when: ConnectionFault): void {
    this.#faults.set(process, [...(this.#faults.get(process) ?? []), { of, when }]);
  }

  /** Makes it reachable, and forgets what was to end a connection. */
  endFaults(): void {
    this.isDown = false;
    this.#faults.clear();
  }

  /** The database as one process sees it. */
  storeFor(process: Process, { isListening }: { readonly isListening: boolean }): OutboxStore {
    const statement = (text: string, values?: unknown[]) =>
      this.#statement(process, text, () => this.#base.executeSql(text, values));
    return {
      backend: 'postgres',
      place: 'the database',
      query: statement,
      executeSql: statement,
      transaction: (run, options) => this.#transaction(process, run, options),
      listen: async (channel, onMessage) => {
        if (!isListening) return { isListening, close: async () => {} };
        await process.cross();
        const hear = (): void => process.deliver(() => inHost(process, onMessage));
        const { close } = await inHost(undefined, () => this.#base.listen(channel, hear));
        const end = (): Promise<void> => inHost(undefined, () => close());
        process.died.catch(end);
        return { isListening, close: end };
      },
      close: async () => {},
    };
  }

  async #statement<T>(process: Process, text: string, execute: () => Promise<T>): Promise<T> {
    if (process.isClosed) this.onLateStatement(text, process);
    await process.cross('statement');
    this.statements++;
    const fault = this.#take(process, 'statement');
    if (fault === 'before') throw lostConnection();
    const askedAtMs = elapsedMs();
    const result = await inHost(undefined, execute);
    this.#noteWait(process, askedAtMs);
    await process.cross(hasJobs(result) ? 'fetch' : 'statement');
    if (fault === 'after') throw lostConnection();
    return result;
  }

  async #transaction<T>(
    process: Process,
    run: (tx: Sql) => Promise<T>,
    options: Parameters<OutboxStore['transaction']>[1],
  ): Promise<T> {
    if (process.isClosed) this.onLateStatement('begin', process);
    await process.cross();
    const begunAtMs = elapsedMs();
    this.statements += 2;
    this.#take(process, 'statement');
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    let isOver = false;
    let idle: NodeJS.Timeout | undefined;
    const endIfIdle = (sinceMs = elapsedMs()): void => {
      const ms = (options?.settings === undefined ? idleMs.other : idleMs.worker) - (elapsedMs() - sinceMs);
      idle = inHost(undefined, () => setTimeout(() => ended.reject(lostConnection()), Math.max(0, ms)));
    };
    const query: Sql['query'] = async (text, values) => {
      await process.cross('statement');
      if (isOver) throw lostConnection();
      clearTimeout(idle);
      this.statements++;
      const result = await inHost(undefined, () => tx.query(text, values));
      endIfIdle();
      await process.cross('statement');
      if (isOver || this.isDown) throw lostConnection();
      return result;
    };
    let tx: Sql;
    let lost = false;
    let after: Committed | undefined;
    const attempt = async (given: Sql): Promise<T> => {
      tx = given;
      this.#noteWait(process, begunAtMs);
      // On PostgreSQL each has a connection of its own: those of a process that stands still end together.
      endIfIdle(process.isRunning ? elapsedMs() : begunAtMs);
      try {
        const work = inHost(process, () => run({ query }));
        const result = await Promise.race([work, ended.promise, process.died]);
        const fault = this.#take(process, 'commit');
        if (fault === 'before') throw lostConnection();
        lost = fault === 'after';
        after = await readChanges(tx, this.#seen);
        return result;
      } finally {
        isOver = true;
        clearTimeout(idle);
      }
    };
    // What stands still is ended above, by virtual time, which PGlite would take for its own.
    const settings = options?.settings?.replaceAll(/set local \w+_timeout = \d+;?/g, '');
    let result: T;
    try {
      result = await inHost(undefined, () => this.#base.transaction(attempt, settings ? { settings } : {}));
      if (after) {
        this.#seen = after.seen;
        this.onCommit(after.changed, after.count, process);
      }
    } finally {
      const hasMarked = after?.changed.some(({ state }) => state === 'sending');
      await process.cross(hasMarked ? 'mark' : 'commit');
    }
    if (lost) throw lostConnection();
    return result;
  }

  /** A process that waits while another one keeps the only connection has lost its database, which it would not on PostgreSQL. */
  #noteWait(process: Process, sinceMs: number): void {
    if (elapsedMs() - sinceMs > 1_000) process.disturbedAtMs = elapsedMs();
  }

  /** What becomes of the connection now. @throws Error where nothing reaches the database */
  #take(process: Process, of: 'commit' | 'statement'): ConnectionFault | undefined {
    if (this.isDown) {
      process.disturbedAtMs = elapsedMs();
      throw lostConnection();
    }
    const faults = this.#faults.get(process) ?? [];
    const index = faults.findIndex((fault) => fault.of === of);
    if (index < 0) return undefined;
    process.disturbedAtMs = elapsedMs();
    return faults.splice(index, 1)[0]?.when;
  }
}

/** What a handler did about an event. */
export interface Effect {
  readonly event: string;
  readonly token: string;
  readonly isEnqueued: boolean;
}

/** What a transaction, and those after `seen`, have changed. */
interface Committed {
  readonly changed: readonly CommittedUpdate[];
  readonly count: number;
  readonly seen: string;
}

async function readChanges(tx: Sql, seen: string): Promise<Committed> {
  const { rows } = await tx.query(
    `select coalesce(json_agg(json_build_object('id', id, 'token', token, 'state', state, 'open', open,
         'position', position, 'claim', claim, 'code', code, 'decidedAt', decided_at) order by accepted_position, token)
         filter (where xmin::text::bigint > $1::text::bigint), '[]')::text as changed,
       count(*)::int as count, greatest(max(xmin::text::bigint), $1::text::bigint)::text as seen
     from orders_outbox.updates`,
    [seen],
  );
  const [row] = rows as readonly {
    readonly changed: string;
    readonly count: number;
    readonly seen: string;
  }[];
  if (!row) throw new Error('A count has one row.');
  return { ...row, changed: JSON.parse(row.changed) as CommittedUpdate[] };
}

/** Whether a statement has fetched orders from the queue: with the next one, they are worked on. */
function hasJobs(result: unknown): boolean {
  const [row] = (result as { readonly rows?: readonly object[] }).rows ?? [];
  return row !== undefined && 'singletonKey' in row;
}

function lostConnection(): Error {
  return Object.assign(new Error('The connection to the database ended.'), { code: 'ECONNRESET' });
}
