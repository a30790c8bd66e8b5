import { channelOf } from '../channel.ts';
import { body } from './database-function.ts';

/**
 * The first statement of an update: the row of its lane is locked until the transaction ends, which orders updates of
 * one token. A lane that stood still is told by `ready_at`, which is newer than the statement then.
 */
export const openLane = (schema: string, token: string): string => `
    insert into ${schema}.lanes as lane (token, state, ready_at) values (${token}, 'waiting', clock_timestamp())
    on conflict (token) do update set
      state = case when lane.state = 'idle' then 'waiting' else lane.state end,
      ready_at = case when lane.state = 'idle' then clock_timestamp() else lane.ready_at end
    returning lane.ready_at >= statement_timestamp()`;

/** Stores an update behind those of its token, and wakes the workers once the transaction commits. */
export const createEnqueue = (schema: string): string => `
  create function ${schema}.enqueue(update_id uuid, order_token text, update_body text) returns void ${body(`
  declare
    is_woken boolean;
  begin
    ${openLane(schema, 'order_token')} into is_woken;
    insert into ${schema}.updates (id, token, body, state) values (update_id, order_token, update_body, 'queued');
    insert into ${schema}.events (update_id, token, kind) values (update_id, order_token, 'queued');
    if is_woken then
      perform pg_notify('${channelOf(schema)}', 'work');
    end if;
  end`)}`;
