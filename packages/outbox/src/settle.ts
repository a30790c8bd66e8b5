import { rowsOf, type Sql } from './store/sql.ts';
import type { Verdict } from './verdict.ts';

/** An update that was worked on, and what becomes of it. */
export interface Settlement {
  readonly id: string;
  readonly token: string;
  /** By whom it was marked as being sent. */
  readonly claim: string;
  readonly verdict: Verdict;
}

/** An update whose state was stored. */
export interface Settled {
  readonly wasParked: boolean;
  /** Since it was accepted, in milliseconds, by the clock of the database. */
  readonly ageMs: number;
}

/**
 * Stores what becomes of updates, each once: where somebody else has taken the update on since, nothing changes. An
 * update that was parked meanwhile takes an answer that came late, as long as nobody decided; one that was never marked
 * is settled only by whoever owns its lane. Gives what was settled, by id.
 */
export async function settleUpdates(
  tx: Sql,
  schema: string,
  settlements: readonly (Settlement & { readonly owned: boolean })[],
): Promise<ReadonlyMap<string, Settled>> {
  if (settlements.length === 0) return new Map();
  const rows = await rowsOf<{ id: string; was_parked: boolean; age_ms: number }>(
    tx,
    `with given as (
       select * from json_to_recordset($1::json) as given (
         id uuid, claim text, owned boolean,
         state text, code text, message text, status integer, issues text, receipt text
       )
     ),
     found as (
       select u.id, u.state = 'parked' as was_parked from ${schema}.updates as u join given using (id)
       where (u.state = 'sending' and u.claim = given.claim)
          or (u.state = 'parked' and u.claim = given.claim and given.state <> 'parked')
          or (u.state = 'queued' and given.owned)
       for update of u
     ),
     settled as (
       update ${schema}.updates as u set
         state = given.state,
         code = given.code, message = given.message, status = given.status, issues = given.issues,
         receipt = coalesce(given.receipt, u.receipt),
         settled_at = case when given.state = 'queued' then null else clock_timestamp() end
       from given join found using (id)
       where u.id = given.id
       returning u.id, u.token, u.state, u.code, found.was_parked,
         extract(epoch from clock_timestamp() - u.created_at)::float8 * 1000 as age_ms
     ),
     told as (
       insert into ${schema}.events (update_id, token, kind, detail) select id, token, state, code from settled
     )
     select id, was_parked, age_ms from settled`,
    [JSON.stringify(settlements.map(toRecord))],
  );
  return new Map(rows.map(({ id, was_parked, age_ms }) => [id, { wasParked: was_parked, ageMs: age_ms }]));
}

function toRecord({ id, claim, owned, verdict }: Settlement & { readonly owned: boolean }): object {
  const { state, code, message, status, issues, receipt } = verdict;
  return {
    id,
    claim,
    owned,
    state,
    code: code && storable(code),
    message: message && storable(message),
    status,
    issues: issues === undefined ? undefined : JSON.stringify(issues),
    receipt: receipt === undefined ? undefined : JSON.stringify(receipt),
  };
}

/** PostgreSQL takes neither a NUL nor half of a surrogate pair in a text, and would refuse the whole batch. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Keeps every lane waiting, on every process, until the service takes updates again. */
export async function pauseAll(tx: Sql, schema: string, pauseMs: number): Promise<void> {
  await tx.query(
    `update ${schema}.limits
     set paused_until = greatest(paused_until, clock_timestamp() + $1 * interval '1 millisecond')
     where name = 'feed'`,
    [pauseMs],
  );
}
