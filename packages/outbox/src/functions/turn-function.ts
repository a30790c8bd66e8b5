import { channelOf } from '../channel.ts';
import { queueName } from '../lane-queue.ts';
import { findOpen } from '../lanes.ts';
import { body, byIndex } from './database-function.ts';
import { headColumns, isOwnMark, markHeads, tellHeads } from './heads.ts';

const concat = (first: string, second: string): string =>
  `(select coalesce(json_agg(each), '[]') from (
        select each from json_array_elements(${first}) as each union all select each from json_array_elements(${second}) as each
      ) as both_of_them)`;

/**
 * One turn of a worker: stores what became of updates, lets their lanes go on, and gives the jobs that came free to the
 * lanes that have waited longest, no more than `most`; jobs that are not needed end. A job that may stay goes on with
 * the next update of its lane, which spares the lane two changes. A lane that somebody adds to in a transaction under
 * way is passed over, since waiting for it could deadlock, and is not among those that were stored. What was stored by
 * an earlier try whose answer was lost is not stored again, and what that try gave is given again. Whoever changes an
 * update that is open has locked its lane.
 */
export const createTurn = (schema: string): string => `
  create function ${schema}.turn(
    jobs uuid[], attempts integer[], tokens text[], may_keep boolean[], may_stay boolean[],
    ids uuid[], holds boolean[], delays float8[], failed integer[], pauses float8[], results json,
    most integer, claimer integer, should_mark boolean
  ) returns json ${byIndex} ${body(`
  declare
    free_tokens text[];
    mine uuid[];
    own uuid[];
    settled json;
    settled_ids uuid[];
    used uuid[] := '{}';
    given_before uuid[] := '{}';
    given_attempts integer[];
    is_paused boolean;
    nexts bigint[];
    are_staying boolean[];
    staying integer;
    work json := '[]';
    more json;
    next_ms float8;
  begin
    -- The jobs are not locked: of one that is given away just now, the update is parked until its answer comes late.
    with locked as (
      select lane.token, lane.state, lane.job_id from ${schema}.lanes as lane
      where lane.token = any (tokens) for update skip locked
    )
    select coalesce(array_agg(distinct locked.token), '{}'), coalesce(array_agg(job.id) filter (where job.id is not null), '{}')
    into free_tokens, mine
    from locked
    left join unnest(jobs, attempts, tokens) as given (job, attempt, token)
      on given.token = locked.token and given.job = locked.job_id and locked.state = 'fed'
    left join ${schema}_queue.job as job
      on job.name = '${queueName}' and job.id = given.job and job.retry_count = given.attempt and job.state = 'active';

    -- Of a lane that was swept no update is left, and so nothing is to be stored.
    free_tokens := free_tokens || array(
      select given.token from unnest(tokens) as given (token)
      where not exists (select from ${schema}.lanes as lane where lane.token = given.token)
    );

    -- Of a job that stands here twice, only the attempt that owns the lane counts as it.
    select array_agg(case when job.retry_count = given.attempt then given.job end order by given.place) into own
    from unnest(jobs, attempts) with ordinality as given (job, attempt, place)
    left join ${schema}_queue.job as job on job.name = '${queueName}' and job.id = given.job and given.job = any (mine);

    -- Each once: where somebody else has taken an update on since, nothing changes. One that was parked meanwhile takes
    -- an answer that comes late, as long as nobody decided; one that was never marked is settled by whoever owns its lane.
    with changed as (
      update ${schema}.updates as u set
        state = given.state,
        code = given.code, message = given.message, status = given.status, issues = given.issues,
        receipt = given.receipt,
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

    if pauses is not null then
      update ${schema}.limits set paused_until = greatest(paused_until, clock_timestamp() + asked.ms * interval '1 millisecond')
      from (
        select max(pause_ms) as ms from unnest(pauses) as given (pause_ms)
      ) as asked
      where name = 'feed' and asked.ms > 0;
    end if;
    if cardinality(mine) < cardinality(jobs) then
      -- An answer that came late may free a lane that stood still for its update, or let one stand still that went on.
      update ${schema}.lanes as lane set
        state = case
          when lane.state = 'fed' then 'fed' when late.hold then 'held'
          when exists (${findOpen(schema, 'lane')}) then 'waiting' else 'idle' end,
        ready_at = case when lane.state = 'held' then clock_timestamp() else lane.ready_at end,
        held_by = case when late.hold then late.id end
      from unnest(own, tokens, ids, holds) as late (job, token, id, hold)
      where lane.token = late.token and late.id = any (settled_ids) and late.job is null
        and (late.hold and lane.held_by is null or not late.hold and lane.held_by = late.id);
    end if;

    select exists (
      select from ${schema}.limits where name = 'feed' and paused_until > clock_timestamp()
    ) into is_paused;
    select array_agg(step.next order by place), array_agg(step.stays order by place), count(*) filter (where step.stays)
    into nexts, are_staying, staying from (
      select given.place, open.position as next,
        coalesce(${isOwnMark('open', 'given')}, false) or (
          open.position is not null and given.may and not is_paused and not given.hold and given.delay_ms = 0
          and here.failures = 0 and here.job_attempt is not distinct from given.attempt
          and here.missed_at is null and here.held_by is null
        ) as stays
      from unnest(own, attempts, tokens, holds, delays, may_stay) with ordinality
        as given (job, attempt, token, hold, delay_ms, may, place)
      left join ${schema}.lanes as here on given.job = any (mine) and here.token = given.token
      left join lateral (${findOpen(schema, 'here', 'u.position, u.state, u.claim')}) as open on true
    ) as step;

    if staying < cardinality(mine) then
      -- What somebody discarded meanwhile neither holds its lane nor delays it.
      update ${schema}.lanes as lane set
        state = case when step.is_held then 'held' when step.next is not null then 'waiting' else 'idle' end,
        held_by = case when step.is_held then coalesce(lane.held_by, step.id) end,
        -- What holds a lane may come back in its place.
        first_open = case when step.is_held then lane.first_open else coalesce(step.next, lane.first_open) end,
        ready_at = clock_timestamp()
          + case when step.is_settled or step.id is null then step.delay_ms else 0 end * interval '1 millisecond',
        failures = case when step.is_settled then step.failed else 0 end,
        worker = null, job_id = null, job_attempt = null
      from (
        select given.*, case
          when given.is_settled then given.hold
          else exists (select from ${schema}.lanes as here where here.token = given.token and here.held_by is not null)
            or given.hold and exists (select from ${schema}.updates as u where u.id = given.id and u.needs_decision)
          end as is_held
        from (
          select *, coalesce(id = any (settled_ids), false) as is_settled
          from unnest(own, tokens, ids, holds, delays, failed, nexts, are_staying)
            as given (job, token, id, hold, delay_ms, failed, next, stays)
          where job = any (mine) and not stays
        ) as given
      ) as step
      where lane.token = step.token;
    end if;

    if cardinality(mine) < cardinality(jobs) then
      select coalesce(array_agg(lane.job_id), '{}'), array_agg(lane.job_attempt) into given_before, given_attempts
      from unnest(jobs, attempts, tokens) as given (job, attempt, token)
      join ${schema}.lanes as lane on lane.state = 'fed' and lane.job_id = given.job
      join ${schema}_queue.job as job on job.id = given.job and job.retry_count = given.attempt
      where job.name = '${queueName}' and job.state = 'active'
        and lane.worker = claimer and lane.job_attempt = given.attempt and lane.token <> given.token;
    end if;

    if staying > 0 then
      with head as (
        select given.token, 0 as failures, given.job, given.attempt, ${headColumns}
        from unnest(own, attempts, tokens, nexts, are_staying) as given (job, attempt, token, next, stays)
        join ${schema}.updates as u on u.token = given.token and u.position = given.next
        where given.stays
      ),
      ${markHeads(schema)}
      select ${tellHeads}, coalesce(array_agg(head.job), '{}') into work, used from head left join marked using (id);
    end if;

    if most > staying and cardinality(mine) > staying and not is_paused then
      with kept as (
        select job, attempt, row_number() over () as place
        from unnest(own, attempts, may_keep, are_staying) as given (job, attempt, may, stays)
        where may and not stays and job = any (mine) limit most - staying
      ),
      picked as (
        select token from ${schema}.lanes
        where state = 'waiting' and ready_at <= clock_timestamp()
        order by ready_at limit (select count(*) from kept) for update skip locked
      ),
      numbered as (select token, row_number() over () as place from picked),
      fed as (
        update ${schema}.lanes as lane
        set state = 'fed', job_id = kept.job, job_attempt = kept.attempt, worker = claimer, missed_at = null
        from numbered join kept using (place) where lane.token = numbered.token
        returning lane.token, lane.first_open, lane.failures, lane.job_id as job, lane.job_attempt as attempt
      ),
      head as (
        select fed.token, fed.failures, fed.job, fed.attempt, ${headColumns}
        from fed left join lateral (${findOpen(schema, 'fed', 'u.*')}) as u on true
      ),
      ${markHeads(schema)}
      select ${tellHeads}, used || coalesce(array_agg(head.job), '{}') into more, used
      from head left join marked using (id);
      work := case when staying = 0 then more else ${concat('work', 'more')} end;
    end if;
    if cardinality(given_before) > 0 then
      work := ${concat('work', `${schema}.claim(given_before, given_attempts, claimer, should_mark)`)};
    end if;
    if cardinality(used) < cardinality(mine) then
      delete from ${schema}_queue.job where name = '${queueName}' and id = any (mine) and id <> all (used);
      select extract(epoch from min(ready_at) - clock_timestamp())::float8 * 1000 into next_ms
      from ${schema}.lanes where state = 'waiting';
      -- Somebody else may have places for them.
      if next_ms <= 0 then
        perform pg_notify('${channelOf(schema)}', 'work');
      end if;
    end if;
    return json_build_object(
      'stored', free_tokens, 'settled', settled, 'work', work,
      'ended', cardinality(mine) - cardinality(used), 'nextMs', next_ms
    );
  end`)}`;
