import { channelOf } from './channel.ts';
import { openLane } from './functions/enqueue-function.ts';
import { OutboxError } from './outbox-error.ts';
import { rowsOf, type Sql } from './store/sql.ts';

/** An update that was checked, as it is stored. */
export interface NewUpdate {
  readonly id: string;
  readonly token: string;
  readonly body: string;
}

const insertBody = (schema: string): string => `
  insert into ${schema}.updates (id, token, body, state) select $2::uuid, lane.token, $3::text, 'queued' from lane
  returning id, token`;

const tellQueued = (schema: string): string =>
  `insert into ${schema}.events (update_id, token, kind) select id, token, 'queued' from stored`;

/** Stores an update behind those of its token, in the transaction of `sql`, and wakes the workers once that commits. */
export async function insertUpdate(sql: Sql, schema: string, update: NewUpdate): Promise<void> {
  const { id, token, body } = update;
  await storing(update, sql.query(`select ${schema}.enqueue($1, $2, $3)`, [id, token, body]));
}

/**
 * Stores an update in place of those of its token that have not been sent. Must run in a transaction: what stands in
 * the lane is only known once the lane is locked.
 */
export async function supersedeWith(tx: Sql, schema: string, update: NewUpdate): Promise<void> {
  const [lane] = await rowsOf<{ woken: boolean }>(tx, `${openLane(schema, '$1')} as woken`, [update.token]);
  await tx.query(
    `with dropped as (
       update ${schema}.updates as u set state = 'discarded', code = 'superseded', settled_at = clock_timestamp()
       from ${schema}.lanes as lane
       where lane.token = $1 and u.token = $1 and u.position >= lane.first_open and u.state = 'queued'
       returning u.id, u.token
     )
     insert into ${schema}.events (update_id, token, kind, detail) select id, token, 'discarded', 'superseded' from dropped`,
    [update.token],
  );
  await storing(
    update,
    tx.query(
      `with lane as (select $1::text as token),
       stored as (${insertBody(schema)})
       ${tellQueued(schema)}`,
      [update.token, update.id, update.body],
    ),
  );
  if (lane?.woken) await tx.query(`select pg_notify('${channelOf(schema)}', 'work')`);
}

async function storing({ id }: NewUpdate, statement: Promise<unknown>): Promise<void> {
  try {
    await statement;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const message = `There is an update ${id} in this outbox already: nothing was accepted.`;
    throw new OutboxError('duplicate_id', message, { cause: error });
  }
}

/** Drivers and the libraries over them tell it by a SQLSTATE, their own or that of their cause. */
function isDuplicate(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code === '23505') return true;
  }
  return false;
}
