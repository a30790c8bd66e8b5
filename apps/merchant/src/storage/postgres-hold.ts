import { Client, type ClientConfig } from 'pg';
import { StorageProblem } from './storage-problem.ts';

/** The desk's number among PostgreSQL's advisory locks, chosen at random once. */
const lockNumber = '7274201655385143411';

/** How long a lock may stay with a process that just ended, in milliseconds. */
const patienceMs = 1_000;

/** Holds a database against other desks, on a connection of its own. */
export interface PostgresHold {
  /** Takes hold again where the connection was lost. @throws StorageProblem when another desk has it. */
  keep(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes hold of a database by a session's advisory lock, which the server frees when the connection ends. It needs a
 * connection to the server itself: a pooler that shares sessions cannot keep it.
 *
 * @throws StorageProblem when another desk has it; else the error of the driver.
 */
export async function holdPostgres(config: ClientConfig, place: string): Promise<PostgresHold> {
  let held: Client | undefined;
  let taking: Promise<void> | undefined;
  await keep();

  async function connect(): Promise<void> {
    const client = new Client({ ...config, keepAlive: true });
    // An error of an idle connection ends the process where nobody listens.
    client.on('error', () => forget(client));
    client.on('end', () => forget(client));
    try {
      await client.connect();
      // The server asks after a machine that fell silent within a minute, not two hours.
      await client.query(`select set_config('tcp_keepalives_idle', '30', false),
        set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false),
        set_config('lock_timeout', '${patienceMs}', false)`);
      await client.query(`select pg_advisory_lock(${lockNumber})`);
      held = client;
    } catch (error) {
      await client.end().catch(() => {});
      if (Object(error).code !== '55P03') throw error;
      throw new StorageProblem(
        `The database at ${place} is in use by another desk: end it, or choose another database with DATABASE_URL.`,
        { cause: error },
      );
    }
  }

  function forget(client: Client): void {
    if (held === client) held = undefined;
  }

  async function keep(): Promise<void> {
    if (held) return;
    taking ??= connect().finally(() => {
      taking = undefined;
    });
    await taking;
  }

  return {
    keep,
    async release() {
      await taking?.catch(() => {});
      await held?.end();
    },
  };
}
