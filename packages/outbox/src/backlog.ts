import { rowsOf, type Sql } from './store/sql.ts';

/** What an outbox has before it: what is final is not counted, so that it costs little however much was done. */
export interface Backlog {
  readonly queued: number;
  readonly sending: number;
  /** Updates that wait for a decision: nobody knows whether the service took them. */
  readonly parked: number;
  /** Updates that the service refused, and that nobody discarded. */
  readonly rejected: number;
  /** When the oldest queued update was accepted. */
  readonly oldestQueuedAt?: Date;
  readonly lanes: {
    /** Orders that wait for a place, or for their time. */
    readonly waiting: number;
    /** Orders that are being worked on. */
    readonly active: number;
    /** Orders that stand still for a decision. */
    readonly held: number;
  };
  /** Until when nothing is sent, since the service asked for it. */
  readonly pausedUntil?: Date;
}

interface Row {
  readonly queued: string;
  readonly sending: string;
  readonly parked: string;
  readonly rejected: string;
  readonly oldest: Date | null;
  readonly waiting: string;
  readonly active: string;
  readonly held: string;
  readonly paused: Date | null;
}

/** Looks at what is before an outbox. */
export async function readBacklog(sql: Sql, schema: string): Promise<Backlog> {
  const [row] = await rowsOf<Row>(
    sql,
    `select open.*, decide.*, lane.*, paused from
       (select count(*) filter (where u.state = 'queued') as queued, count(*) filter (where u.state = 'sending') as sending,
               min(u.created_at) filter (where u.state = 'queued') as oldest
        from ${schema}.updates as u join ${schema}.lanes as lane using (token)
        where lane.state <> 'idle' and u.position >= lane.first_open and u.state in ('queued', 'sending')) as open,
       (select count(*) filter (where state = 'parked') as parked, count(*) filter (where state = 'rejected') as rejected
        from ${schema}.updates where needs_decision) as decide,
       (select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'fed') as active,
               count(*) filter (where state = 'held') as held
        from ${schema}.lanes where state <> 'idle') as lane,
       (select case when paused_until > clock_timestamp() then paused_until end as paused
        from ${schema}.limits where name = 'feed') as feed`,
  );
  const { queued, sending, parked, rejected, oldest, waiting, active, held, paused } = row as Row;
  return {
    queued: Number(queued),
    sending: Number(sending),
    parked: Number(parked),
    rejected: Number(rejected),
    ...(oldest === null ? {} : { oldestQueuedAt: new Date(oldest) }),
    lanes: { waiting: Number(waiting), active: Number(active), held: Number(held) },
    ...(paused === null ? {} : { pausedUntil: new Date(paused) }),
  };
}
