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
  /** Called with all updates as a commit leaves them. */
  onCommit: (updates: readonly CommittedUpdate[], by: Process) => void = () => {};
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
    this.isDown = false;
    this.#faults.clear();
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
      as === 'lost jobs' ? `delete from ${jobs}` : `insert into ${jobs} (name, data) values ('lanes', null)`,
    );
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

  /** The database as one process sees it. */
  storeFor(process: Process, { isListening }: { readonly isListening: boolean }): OutboxStore {
    const statement = (text: string, values?: unknown[]) =>
      this.#statement(process, () => this.#base.executeSql(text, values));
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

  async #statement<T>(process: Process, execute: () => Promise<T>): Promise<T> {
    await process.cross();
    this.statements++;
    const fault = this.#take(process, 'statement');
    if (fault === 'before') throw lostConnection();
    const result = await inHost(undefined, execute);
    await process.cross();
    if (fault === 'after') throw lostConnection();
    return result;
  }

  async #transaction<T>(
    process: Process,
    run: (tx: Sql) => Promise<T>,
    options: Parameters<OutboxStore['transaction']>[1],
  ): Promise<T> {
    await process.cross();
    this.statements += 2;
    this.#take(process, 'statement');
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    let isOver = false;
    let idle: NodeJS.Timeout | undefined;
    const endIfIdle = (): void => {
      const ms = options?.settings === undefined ? idleMs.other : idleMs.worker;
      idle = inHost(undefined, () => setTimeout(() => ended.reject(lostConnection()), ms));
    };
    const query: Sql['query'] = async (text, values) => {
      await process.cross();
      if (isOver) throw lostConnection();
      clearTimeout(idle);
      this.statements++;
      const result = await inHost(undefined, () => tx.query(text, values));
      endIfIdle();
      await process.cross();
      if (isOver || this.isDown) throw lostConnection();
      return result;
    };
    let tx: Sql;
    let lost = false;
    let updates: readonly CommittedUpdate[] = [];
    const attempt = async (given: Sql): Promise<T> => {
      tx = given;
      endIfIdle();
      try {
        const work = inHost(process, () => run({ query }));
        const result = await Promise.race([work, ended.promise, process.died]);
        const fault = this.#take(process, 'commit');
        if (fault === 'before') throw lostConnection();
        lost = fault === 'after';
        updates = await readUpdates(tx);
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
      this.onCommit(updates, process);
    } finally {
      await process.cross('commit');
    }
    if (lost) throw lostConnection();
    return result;
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

async function readUpdates(tx: Sql): Promise<readonly CommittedUpdate[]> {
  const { rows } = await tx.query(
    `select id::text as id, token, state, open, position::int as position, claim, decided_at::text as "decidedAt"
     from orders_outbox.updates order by accepted_position, token`,
  );
  return rows as CommittedUpdate[];
}

function lostConnection(): Error {
  return Object.assign(new Error('The connection to the database ended.'), { code: 'ECONNRESET' });
}
