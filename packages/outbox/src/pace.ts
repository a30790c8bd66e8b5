import { rowsOf, type Sql } from './store/sql.ts';

/** How many updates may leave, over all processes. */
export interface Rate {
  /**
   * Updates in a second, at most: they leave some 4% slower, since what leaves evenly arrives unevenly, and the service
   * counts what arrives.
   */
  readonly perSecond: number;
  /**
   * Updates that may leave at once after a quiet time.
   * @default 1
   */
  readonly burst?: number;
}

/** How much wider places lie apart than the rate says: room for an update that is on its way for longer than others. */
const slack = 1.04;

/** How far apart places lie, in milliseconds. */
export function intervalOf({ perSecond }: Rate): number {
  return (slack * 1_000) / perSecond;
}

/**
 * Reserves places for updates, as a generic cell rate algorithm in one row of the database, and gives how long each
 * has to wait, in milliseconds, in order.
 */
export async function reservePlaces(
  sql: Sql,
  schema: string,
  rate: Rate & { readonly concurrency: number },
  count: number,
): Promise<readonly number[]> {
  const intervalMs = intervalOf(rate);
  const leewayMs = intervalMs * ((rate.burst ?? 1) - 1);
  // Nothing is further ahead by itself: where it is, the clock of the database was set back.
  const aheadMs = 60_000 + 2 * intervalMs * (rate.concurrency + 1);
  const [row] = await rowsOf<{ first_ms: number }>(
    sql,
    `update ${schema}.limits as rate set next_at =
       greatest(
       least(rate.next_at, clock_timestamp() + $3 * interval '1 millisecond'),
       (select paused_until from ${schema}.limits where name = 'feed'),
       clock_timestamp() - $1 * interval '1 millisecond'
     ) + $2 * interval '1 millisecond'
     where name = 'rate'
     returning extract(epoch from next_at - $2 * interval '1 millisecond' - clock_timestamp())::float8 * 1000 as first_ms`,
    [leewayMs, intervalMs * count, aheadMs],
  );
  const firstMs = row?.first_ms ?? 0;
  return Array.from({ length: count }, (_, place) => Math.max(0, firstMs + place * intervalMs));
}
