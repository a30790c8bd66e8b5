import pg from 'pg';
import type { Attendance, Subscription } from './outbox-store.ts';

/** How soon a lost connection is made anew, in milliseconds: at once, and then at this pace. */
const againMs = 500;

/** Listens on a connection of its own, which holds the presence too, and makes it anew whenever it breaks. */
export async function attendPostgres(
  pool: pg.Pool,
  { channel, presence, onMessage, onLoss, onGap }: Attendance,
): Promise<Subscription> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let isWorking = false;

  /** The name of a lock that each holds who is at work. */
  const takeWorkLock = (connection: pg.Client): Promise<unknown> =>
    connection.query('select pg_advisory_lock_shared(hashtext($1), $2)', [`${channel}:work`, presence]);

  async function connect(): Promise<void> {
    const fresh = new pg.Client(pool.options);
    const drop = (): void => {
      fresh.off('end', onEnd);
      fresh.end().catch(() => {});
    };
    const onEnd = (): void => {
      drop();
      if (!closed) onLoss();
      reconnect(0);
    };
    // Without a listener an error would end the process; whatever it is, the end follows.
    fresh.on('error', () => {});
    fresh.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await fresh.connect();
      await fresh.query(`listen "${channel}"`);
      await fresh.query('select pg_advisory_lock_shared(hashtext($1), $2)', [channel, presence]);
      if (isWorking) await takeWorkLock(fresh);
    } catch (error) {
      drop();
      throw error;
    }
    if (closed) return drop();
    fresh.on('end', onEnd);
    client = fresh;
    onGap();
  }

  function reconnect(ms: number): void {
    if (closed) return;
    timer = setTimeout(() => {
      connect().catch(() => reconnect(againMs));
    }, ms);
  }

  await connect();
  return {
    async work() {
      isWorking = true;
      // Where the connection is lost just now, the next one does it.
      if (client) await takeWorkLock(client).catch(() => {});
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
