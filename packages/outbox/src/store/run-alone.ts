import pg from 'pg';

/** How long the lock is held by a process that does nothing. */
const idle = '2min';

/** Runs something under a lock of its name, on a connection of its own: what it runs may need all that the pool has. */
export async function runAlone(
  pool: pg.Pool,
  { name, run }: { readonly name: string; readonly run: () => Promise<void> },
): Promise<void> {
  const client = new pg.Client(pool.options);
  // Without a listener an error would end the process; the statement that follows fails.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    await client.query(`set idle_session_timeout = '${idle}'`);
    await run();
  } finally {
    await client.end().catch(() => {});
  }
}
