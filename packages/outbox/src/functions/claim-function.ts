import { queueName } from '../lane-queue.ts';
import { findOpen } from '../lanes.ts';
import { body, byIndex } from './database-function.ts';
import { headColumns, tellHeads } from './heads.ts';

/**
 * Finds the heads of the lanes that jobs were made for, notes in the lanes who works on them, and, if it should, marks
 * the heads as being sent; a lane without a head has nothing to do. Lanes and updates that somebody changes are not
 * waited for: of a lane in which it could not be noted who works on it, nobody learns the head, since others would take
 * whoever sends it for gone. A head that this very attempt of a job has marked was not sent: the answer that told of it
 * was lost.
 */
export const createClaim = (schema: string): string => `
  create function ${schema}.claim(jobs uuid[], attempts integer[], claimer integer, should_mark boolean)
  returns json ${byIndex} ${body(`
  declare
    told json;
  begin
    with given as (select * from unnest(jobs, attempts) as given (job, attempt)),
    lane as (
      select lane.token, lane.failures, lane.first_open, lane.held_by, given.job, given.attempt,
        lane.worker is not distinct from claimer and lane.job_attempt is not distinct from given.attempt as is_noted
      from given join ${schema}.lanes as lane on lane.state = 'fed' and lane.job_id = given.job
      join ${schema}_queue.job as job on job.name = '${queueName}' and job.id = given.job
        and job.retry_count = given.attempt and job.state = 'active'
    ),
    free as (
      select here.token from ${schema}.lanes as here join lane using (token)
      where not lane.is_noted and here.state = 'fed' and here.job_id = lane.job
      for update of here skip locked
    ),
    noted as (
      update ${schema}.lanes as here set worker = claimer, missed_at = null, job_attempt = lane.attempt
      from lane join free using (token) where here.token = lane.token
    ),
    head as (
      select lane.token, lane.failures, lane.job, lane.attempt, ${headColumns}
      from lane left join lateral (${findOpen(schema, 'lane', 'u.*')}) as u
        on lane.held_by is null and (lane.is_noted or lane.token in (select free.token from free))
    ),
    ready as (
      select u.id, head.job || ':' || head.attempt || ':' || gen_random_uuid() as claim
      from ${schema}.updates as u join head using (id)
      where should_mark and u.state = 'queued' and u.passed = head.passed
        and not exists (select from ${schema}.limits where name = 'feed' and paused_until > clock_timestamp())
      for update of u skip locked
    ),
    marked as (
      update ${schema}.updates as u
      set state = 'sending', claim = ready.claim, attempts = u.attempts + 1, sending_at = clock_timestamp()
      from ready where u.id = ready.id returning u.id, u.token, u.claim
    ),
    said as (
      insert into ${schema}.events (update_id, token, kind) select id, token, 'sending' from marked
    )
    select ${tellHeads} into told
    from head left join marked using (id);
    return told;
  end`)}`;
