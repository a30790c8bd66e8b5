import { channelOf } from './channel.ts';
import { freeLanes } from './lanes.ts';
import { OutboxError } from './outbox-error.ts';
import type { OutboxStore } from './store/outbox-store.ts';
import { rowsOf, type Sql } from './store/sql.ts';
import {
  isUpdateId,
  readStatus,
  statusColumns,
  type UpdateRow,
  type UpdateState,
  type UpdateStatus,
} from './update-status.ts';

/**
 * Sends an update again that is parked or rejected: in its place, or behind those of its order where a later one may have
 * been applied since, or an earlier one was moved behind for that reason.
 *
 * @throws OutboxError `unknown_update`, or `nothing_to_decide` when it is neither.
 */
export function retryUpdate(store: OutboxStore, schema: string, id: string): Promise<UpdateStatus> {
  return store.transaction(async (tx) => {
    const { token } = await lock(tx, schema, { id, states: ['parked', 'rejected'], deed: 'sent again' });
    // A worker that has found the next update, and not yet marked it, must look again.
    await tx.query(
      `update ${schema}.updates set passed = passed + 1
       where state = 'queued' and id = (
         select u.id from ${schema}.updates as u join ${schema}.lanes as lane using (token)
         where token = $1 and u.state = 'queued' and u.position >= lane.first_open order by u.position limit 1
       )`,
      [token],
    );
    const [row] = await rowsOf<UpdateRow>(
      tx,
      `with changed as (
         update ${schema}.updates as u set state = 'queued', settled_at = null, needs_decision = false,
           accepted_as = coalesce(u.accepted_as, u.position),
           position = case when exists (
             select from ${schema}.updates as later
             where later.token = u.token and later.position > u.position and (
               later.state in ('sending', 'applied', 'parked')
               or later.state = 'queued' and later.accepted_as < coalesce(u.accepted_as, u.position)
             )
           ) then nextval(pg_get_serial_sequence('${schema}.updates', 'position')) else u.position end
         where id = $1 returning *
       ),
       opened as (
         update ${schema}.lanes as lane set first_open = least(lane.first_open, changed.position)
         from changed where lane.token = changed.token
       ),
       told as (insert into ${schema}.events (update_id, token, kind) select id, token, 'retried' from changed)
       select ${statusColumns} from changed`,
      [id],
    );
    await freeLanes(tx, schema, [{ token, id }]);
    await tx.query(
      `update ${schema}.lanes set failures = 0, ready_at = clock_timestamp() where token = $1 and state = 'waiting'`,
      [token],
    );
    await tx.query(`select pg_notify('${channelOf(schema)}', 'work')`);
    return readStatus(row as UpdateRow);
  });
}

/**
 * Gives an update up that has not been sent, is parked, or was rejected; its order's lane goes on, unless it stands still
 * for another update.
 *
 * @throws OutboxError `unknown_update`, or `nothing_to_decide` when it is being sent or is final.
 */
export function discardUpdate(store: OutboxStore, schema: string, id: string): Promise<UpdateStatus> {
  return store.transaction(async (tx) => {
    const states = ['queued', 'parked', 'rejected'] as const;
    const { token } = await lock(tx, schema, { id, states, deed: 'discarded' });
    const [row] = await rowsOf<UpdateRow>(
      tx,
      `with changed as (
         update ${schema}.updates set state = 'discarded', code = 'decided', settled_at = clock_timestamp(),
           needs_decision = false
         where id = $1 returning *
       ),
       told as (
         insert into ${schema}.events (update_id, token, kind, detail)
         select id, token, 'discarded', 'decided' from changed
       )
       select ${statusColumns} from changed`,
      [id],
    );
    await freeLanes(tx, schema, [{ token, id }]);
    await tx.query(`select pg_notify('${channelOf(schema)}', 'work')`);
    return readStatus(row as UpdateRow);
  });
}

interface Wanted {
  readonly id: string;
  readonly states: readonly UpdateState[];
  readonly deed: string;
}

/** Locks the lane of the update, and then the update, as everybody does who changes both. */
async function lock(tx: Sql, schema: string, { id, states, deed }: Wanted): Promise<{ token: string }> {
  const unknown = (): OutboxError =>
    new OutboxError('unknown_update', `There is no update ${id} in this outbox.`);
  if (!isUpdateId(id)) throw unknown();
  await tx.query(
    `select from ${schema}.lanes where token = (select token from ${schema}.updates where id = $1) for update`,
    [id],
  );
  const [row] = await rowsOf<{ token: string; state: UpdateState }>(
    tx,
    `select token, state from ${schema}.updates where id = $1 for update`,
    [id],
  );
  if (!row) throw unknown();
  if (!states.includes(row.state)) {
    throw new OutboxError('nothing_to_decide', `The update ${id} is ${row.state}: it cannot be ${deed}.`);
  }
  return row;
}
