/** Whether an update is marked as being sent by this very attempt of a job. */
export const isOwnMark = (update: string, attempt: string): string =>
  `${update}.state = 'sending' and starts_with(${update}.claim, ${attempt}.job || ':' || ${attempt}.attempt || ':')`;

/** What is told of a head, of updates as `u`. */
export const headColumns = `u.id, u.body, u.state, u.attempts, u.passed, u.claim`;

/** Marks heads that are still in the state in which the statement found them. */
export const markHeads = (schema: string): string => `
      marked as (
        update ${schema}.updates as u
        set state = 'sending', claim = head.job || ':' || head.attempt || ':' || gen_random_uuid(),
          attempts = u.attempts + 1, sending_at = clock_timestamp()
        from head where u.id = head.id and should_mark and u.state = 'queued' and u.passed = head.passed
        returning u.id, u.token, u.claim
      ),
      said as (
        insert into ${schema}.events (update_id, token, kind) select id, token, 'sending' from marked
      )`;

/** Tells of heads; one that this very attempt of a job has marked was not sent: the answer that told of it was lost. */
export const tellHeads = `coalesce(json_agg(json_build_object(
          'job', head.job, 'attempt', head.attempt, 'token', head.token, 'failures', head.failures,
          'id', head.id, 'body', head.body, 'state', head.state, 'attempts', head.attempts, 'passed', head.passed,
          'claim', coalesce(marked.claim, head.claim),
          'isMarked', marked.id is not null or (${isOwnMark('head', 'head')})
        )), '[]')`;
