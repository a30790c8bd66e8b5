import { createOutbox, migrate, postgresStore } from '@orders/outbox';
import pg from 'pg';
import { expect } from 'vitest';
import { onPostgres, openPool, step, stepsApplied, until } from './scene.ts';

interface Recorded {
  readonly name: string | undefined;
  readonly text: string;
}

/** A pool that keeps every statement which it, or a pool made like it, sends. */
function recordingPool(connectionString: string): {
  readonly pool: pg.Pool;
  readonly statements: Recorded[];
} {
  const statements: Recorded[] = [];
  class RecordingClient extends pg.Client {
    // All overloads of `query` begin with the text of a statement, or with an object that has one.
    override query(...args: unknown[]): never {
      const [first] = args as [string | { readonly text: string; readonly name?: string }];
      statements.push(
        typeof first === 'string' ? { name: undefined, text: first } : { name: first.name, text: first.text },
      );
      const query = super.query as (...args: unknown[]) => unknown;
      return query.apply(this, args) as never;
    }
  }
  return { pool: openPool({ connectionString, Client: RecordingClient }), statements };
}

/** What would stay with a connection that the next transaction of somebody else gets. */
const sessionState = {
  'a setting':
    /(?:^|;)\s*(?:set(?!\s+(?:local|transaction|constraints)\b)|reset)\s|\bset_config\s*\([^)]*,\s*(?:false|'?f'?)\s*\)/i,
  'an advisory lock': /\bpg_(?:try_)?advisory_(?:unlock|lock)/i,
  'a listener': /(?:^|;)\s*(?:un)?listen\b/i,
  'a prepared statement': /(?:^|;)\s*(?:prepare|deallocate)\b/i,
  'a temporary table': /\bcreate\s+(?:local\s+)?temp(?:orary)?\b/i,
  'a cursor': /(?:^|;)\s*declare\b[^;]*\bwith\s+hold\b/i,
};

onPostgres('leaves nothing on a connection of its pool, in the whole life of an outbox', async (scene) => {
  const { postgres, newSchema: databaseSchema, client, service, token, reaches } = scene;
  const { pool, statements } = recordingPool(postgres.connectionString);
  const warnings: string[] = [];
  const options = { client, databaseSchema, warn: (message: string) => void warnings.push(message) };
  try {
    const migrating = postgresStore({ pool });
    await migrate(migrating, { databaseSchema });
    await migrating.close();
    const outbox = await createOutbox({
      ...options,
      rate: { perSecond: 1_000, burst: 10 },
      store: postgresStore({ pool }),
      migrate: false,
    });
    const [, second = '', third = ''] = service.orders.map((order) => order.token);
    service.faults.next(
      [
        { type: 'status', status: 409 },
        { type: 'status', status: 500 },
      ],
      { token },
    );
    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '30' } }, { token: third });
    await outbox.start();
    const rejected = await outbox.enqueue(token, step(1));
    await reaches(outbox, rejected, 'rejected');
    const unknown = await outbox.enqueue(token, step(2));
    await reaches(outbox, unknown, 'needs_review');
    await outbox.retry(unknown, { by: 'Ada', note: 'not there' });
    await reaches(outbox, unknown, 'applied');
    await outbox.discard(rejected);

    const tx = await pool.connect();
    await tx.query('begin');
    const together = await outbox.enqueue(second, step(3), { tx });
    await tx.query('commit');
    tx.release();
    await reaches(outbox, together, 'applied');
    service.faults.next({ type: 'reset_after_applying' }, { token: second });
    const lost = await outbox.enqueue(second, step(4));
    await reaches(outbox, lost, 'needs_review');
    await outbox.resolve(lost, 'applied');
    expect(await outbox.purge({ token: second })).toBe(2);

    const paused = await outbox.enqueue(third, step(5));
    await until('a 429 pauses all', async () => (await outbox.status()).pausedUntil !== undefined);
    await outbox.resume();
    await reaches(outbox, paused, 'applied');
    for (const look of [outbox.counts(), outbox.list(), outbox.history(token), outbox.changes()]) await look;
    await outbox.close();

    const again = await createOutbox({ ...options, store: postgresStore({ pool }) });
    await again.enqueue(token, step(6));
    await again.drain();
    await again.close();
    expect(stepsApplied(service, token)).toEqual([2, 6]);
  } finally {
    await pool.end();
  }
  const texts = statements.map(({ text }) => text);
  for (const seen of [
    /create table/i,
    /insert into "\w+"\.updates/,
    /for update skip locked/,
    /set local/,
    /job_common/,
  ])
    expect(texts.some((text) => seen.test(text))).toBe(true);
  expect(statements.filter(({ name }) => name !== undefined)).toEqual([]);
  for (const [what, pattern] of Object.entries(sessionState))
    expect({ [what]: texts.filter((text) => pattern.test(text)) }).toEqual({ [what]: [] });
});
