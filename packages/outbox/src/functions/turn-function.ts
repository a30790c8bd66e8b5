import { channelOf } from '../channel.ts';
import { queueName } from '../lane-queue.ts';
import { findOpen } from '../lanes.ts';
import { body, byIndex } from './database-function.ts';

/**
 * One turn of a worker: stores what became of updates, lets their lanes go on, and gives the jobs that came free to the
 * lanes that have waited longest, no more than `most`; jobs that are not needed end. A lane that somebody adds to in a
 * transaction under way is passed over, since waiting for it could deadlock, and is not among those that were stored.
 * What was stored by an earlier try whose answer was lost is not stored again, and what that try gave is given again.
 * Whoever changes an update that is open has locked its lane.
 */
export const createTurn = (schema: string): string => `
  create function ${schema}.turn(
    jobs uuid[], attempts integer[], tokens text[], may_keep boolean[],
    ids uuid[], holds boolean[], delays float8[], failed integer[], pauses float8[], results json,
    most integer, claimer integer, should_mark boolean
  ) returns json ${byIndex} ${body(`
  declare
    free_tokens text[];
    mine uuid[];
    settled json;
    settled_ids uuid[];
    used uuid[] := '{}';
    given_before uuid[] := '{}';
    given_attempts integer[];
    work json;
    next_ms float8;
  begin
    select coalesce(array_agg(locked.token), '{}') into free_tokens from (
      select lane.token from ${schema}.lanes as lane where lane.token = any (tokens) for update skip locked
    ) as locked;
    select coalesce(array_agg(locked.id), '{}') into mine from (
      select job.id from unnest(jobs, attempts, tokens) as given (job, attempt, token)
      join ${schema}.lanes as lane on lane.token = given.token and lane.state = 'fed' and lane.job_id = given.job
      join ${schema}_queue.job as job on job.id = given.job and job.retry_count = given.attempt
      where given.token = any (free_tokens) and job.name = '${queueName}' and job.state = 'active'
      for update of job
    ) as locked;

    -- Each once: where somebody else has taken an update on since, nothing changes. One that was parked meanwhile takes
    -- an answer that comes late, as long as nobody decided; one that was never marked is settled by whoever owns its lane.
    with changed as (
      update ${schema}.updates as u set
        state = given.state,
        code = given.code, message = given.message, status = given.status, issues = given.issues,
        receipt = coalesce(given.receipt, u.receipt),
        settled_at = case when given.state = 'queued' then null else clock_timestamp() end,
        needs_decision = given.state in ('parked', 'rejected')
      from json_to_recordset(results) as given (
        id uuid, claim text, job uuid, token text,
        state text, code text, message text, status integer, issues text, receipt text
      )
      where u.id = given.id and given.token = any (free_tokens) and (
        (u.state = 'sending' and u.claim = given.claim)
        or (u.state = 'parked' and u.claim = given.claim and given.state <> 'parked')
        or (u.state = 'queued' and given.job = any (mine))
      )
      returning u.id, u.token, u.state, u.code,
        extract(epoch from clock_timestamp() - u.created_at)::float8 * 1000 as age_ms
    ),
    said as (
      insert into ${schema}.events (update_id, token, kind, detail) select id, token, state, code from changed
    )
    select coalesce(json_agg(json_build_object('id', id, 'ageMs', age_ms)), '[]'), coalesce(array_agg(id), '{}')
    into settled, settled_ids from changed;

    -- What somebody discarded meanwhile neither holds its lane nor delays it.
    update ${schema}.lanes as lane set
      state = case when step.is_held then 'held' when step.next is not null then 'waiting' else 'idle' end,
      held_by = case when step.is_held then step.id end,
      -- What holds a lane may come back in its place.
      first_open = case when step.is_held then lane.first_open else coalesce(step.next, lane.first_open) end,
      ready_at = clock_timestamp()
        + case when step.is_settled or step.id is null then step.delay_ms else 0 end * interval '1 millisecond',
      failures = case when step.is_settled then step.failed else 0 end,
      worker = null, job_id = null, job_attempt = null
    from (
      select given.*, given.is_settled and given.hold as is_held, (${findOpen(schema, 'here')}) as next
      from (
        select *, coalesce(id = any (settled_ids), false) as is_settled
        from unnest(jobs, tokens, ids, holds, delays, failed) as given (job, token, id, hold, delay_ms, failed)
        where job = any (mine)
      ) as given
      join ${schema}.lanes as here on here.token = given.token and here.job_id = given.job
    ) as step
    where lane.token = step.token;

    if cardinality(mine) < cardinality(jobs) then
      -- An answer that came late may free a lane that stood still for its update.
      update ${schema}.lanes as lane set
        state = case when lane.state = 'fed' then 'fed' when exists (${findOpen(schema, 'lane')}) then 'waiting' else 'idle' end,
        ready_at = case when lane.state = 'held' then clock_timestamp() else lane.ready_at end,
        held_by = null
      from unnest(tokens, ids, holds) as late (token, id, hold)
      where lane.token = late.token and lane.held_by = late.id and late.id = any (settled_ids) and not late.hold;
      select coalesce(array_agg(lane.job_id), '{}'), array_agg(lane.job_attempt) into given_before, given_attempts
      from unnest(jobs, attempts, tokens) as given (job, attempt, token)
      join ${schema}.lanes as lane on lane.state = 'fed' and lane.job_id = given.job
      join ${schema}_queue.job as job on job.id = given.job and job.retry_count = given.attempt
      where job.name = '${queueName}' and job.state = 'active'
        and lane.worker = claimer and lane.job_attempt = given.attempt and lane.token <> given.token;
    end if;

    if pauses is not null then
      update ${schema}.limits set paused_until = greatest(paused_until, clock_timestamp() + asked.ms * interval '1 millisecond')
      from (
        select max(pause_ms) as ms from unnest(tokens, pauses) as given (token, pause_ms) where token = any (free_tokens)
      ) as asked
      where name = 'feed' and asked.ms > 0;
    end if;

    if most > 0 and cardinality(mine) > 0 and not exists (
      select from ${schema}.limits where name = 'feed' and paused_until > clock_timestamp()
    ) then
      -- A head that is not in the state in which this statement found it is not marked.
      with kept as (
        select job, attempt, row_number() over () as place
        from unnest(jobs, attempts, tokens, may_keep) as given (job, attempt, token, may)
        where may and job = any (mine) and token = any (free_tokens) limit most
      ),
      picked as (
        select token from ${schema}.lanes
        where state = 'waiting' and ready_at <= clock_timestamp()
        order by ready_at limit (select count(*) from kept) for update skip locked
      ),
      numbered as (select token, row_number() over () as place from picked),
      fed as (
        update ${schema}.lanes as lane set state = 'fed', job_id = kept.job, job_attempt = kept.attempt, worker = claimer, missed_at = null
        from numbered join kept using (place) where lane.token = numbered.token
        returning lane.token, lane.first_open, lane.failures, lane.job_id as job, lane.job_attempt as attempt
      ),
      head as (
        select fed.*, u.id, u.body, u.state, u.attempts, u.passed, u.claim,
          fed.job || ':' || fed.attempt || ':' || gen_random_uuid() as new_claim
        from fed left join lateral (
          select * from ${schema}.updates as u
          where u.token = fed.token and u.position >= fed.first_open and u.state in ('queued', 'sending')
          order by u.position limit 1
        ) as u on true
      ),
      marked as (
        update ${schema}.updates as u
        set state = 'sending', claim = head.new_claim, attempts = u.attempts + 1, sending_at = clock_timestamp()
        from head where u.id = head.id and should_mark and u.state = 'queued' and u.passed = head.passed
        returning u.id, u.token
      ),
      said as (
        insert into ${schema}.events (update_id, token, kind) select id, token, 'sending' from marked
      )
      select json_agg(json_build_object(
          'job', head.job, 'attempt', head.attempt, 'token', head.token, 'failures', head.failures,
          'id', head.id, 'body', head.body, 'state', head.state, 'attempts', head.attempts, 'passed', head.passed,
          'claim', case when marked.id is null then head.claim else head.new_claim end, 'isMarked', marked.id is not null
        )), coalesce(array_agg(head.job), '{}') into work, used
      from head left join marked using (id);
    end if;
    if cardinality(given_before) > 0 then
      select json_agg(each) into work from (
        select each from json_array_elements(coalesce(work, '[]')) as each
        union all select each
        from json_array_elements(${schema}.claim(given_before, given_attempts, claimer, should_mark)) as each
      ) as both_of_them;
    end if;
    delete from ${schema}_queue.job where name = '${queueName}' and id = any (mine) and id <> all (used);

    if cardinality(used) < cardinality(mine) then
      select extract(epoch from min(ready_at) - clock_timestamp())::float8 * 1000 into next_ms
      from ${schema}.lanes where state = 'waiting';
      -- Somebody else may have places for them.
      if next_ms <= 0 then
        perform pg_notify('${channelOf(schema)}', 'work');
      end if;
    end if;
    return json_build_object(
      'stored', free_tokens, 'settled', settled, 'work', coalesce(work, '[]'),
      'ended', cardinality(mine) - cardinality(used), 'nextMs', next_ms
    );
  end`)}`;
