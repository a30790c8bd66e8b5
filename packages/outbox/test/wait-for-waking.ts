import { hasListener } from '../src/limits.ts';
import type { OutboxStore } from '../src/store.ts';
import { type Scene, until } from './scene.ts';

/** A store whose worker looks at the queue only after a notification. */
export function waitForWaking(store: OutboxStore): OutboxStore {
  let isWoken = false;
  return {
    ...store,
    listen: (channel, onMessage) =>
      store.listen(channel, () => {
        isWoken = true;
        onMessage();
      }),
    async executeSql(text, values) {
      const isLooking = /update of j skip locked/i.test(text);
      if (isLooking && !isWoken) return { rows: [] };
      if (isLooking) isWoken = false;
      return store.executeSql(text, values);
    },
  };
}

/**
 * Waits until a worker listens, and has it count as alive from then on, however slow the machine is: without one, `enqueue`
 * sends no notification, and leaves the update to the worker's next look.
 */
export async function keepListening({ sql, schema }: Scene): Promise<AsyncDisposable> {
  await sql.query(`create function ${schema}.keep_alive() returns trigger language plpgsql as
    'begin new.until := ''infinity''; return new; end'`);
  await sql.query(`create trigger keep_alive before insert or update on ${schema}.limits for each row
    when (new.name like 'worker:%') execute function ${schema}.keep_alive()`);
  await until('a worker listens', async () => {
    const { rows } = await sql.query(
      `select from ${schema}.limits where until = 'infinity' and ${hasListener(schema)}`,
    );
    return rows.length > 0;
  });
  return {
    async [Symbol.asyncDispose]() {
      await sql.query(`drop function ${schema}.keep_alive cascade`);
    },
  };
}
