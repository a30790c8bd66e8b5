import type { Sql } from './sql.ts';

/** A process that hears and is seen until it closes this. */
export interface Subscription {
  /** From now on it is seen to be at work. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** What a process hears, and how it shows that it is there. */
export interface Attendance {
  readonly channel: string;
  /** The number of this process: while it is connected, it holds a shared advisory lock of it in the channel's name. */
  readonly presence: number;
  /** Called with each notification of the channel. */
  readonly onMessage: (payload: string) => void;
  /** Called when the connection is lost: others may hold this process for gone. */
  readonly onLoss: () => void;
  /** Called whenever it is there, at first and again: notifications may have been missed. */
  readonly onGap: () => void;
}

/** A database that holds an outbox; make it with `postgresStore` or `pgliteStore`. */
export interface OutboxStore extends Sql {
  /** Whether this process alone can use the database, so that whatever stands as under way was left behind. */
  readonly exclusive: boolean;
  /** Where it is, for people; never a password. */
  readonly place: string;
  /** How many of its connections may wait for transactions of others while this process works, which needs some itself. */
  readonly maxWaiting: number;
  /** Runs one statement as a transaction of its own, each statement of a function in it seeing what was committed before. */
  run(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  /** Runs statements as one transaction, which is undone when `run` rejects. */
  transaction<T>(run: (tx: Sql) => Promise<T>): Promise<T>;
  /** Runs something while no other process runs something of the same name. */
  alone(name: string, run: () => Promise<void>): Promise<void>;
  /** Hears notifications and shows that this process is there, until closed. */
  attend(attendance: Attendance): Promise<Subscription>;
  /** What pg-boss reaches the database by. */
  readonly queue: {
    readonly backend: 'postgres' | 'pglite';
    readonly db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
  };
  /** Frees what it holds; a database of the caller's own stays open. */
  close(): Promise<void>;
}
