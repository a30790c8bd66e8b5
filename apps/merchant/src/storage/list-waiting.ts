import { type Kysely, sql } from 'kysely';
import type { StoredEvent } from '../contract/desk-event.ts';
import type { WaitingUpdate } from '../contract/outbox-view.ts';
import type { Tables } from './tables.ts';
import { readView, viewColumns } from './update-view.ts';

/** Reads the first updates that the outbox has before it, and what each waits for. */
export async function listWaiting(
  database: Kysely<Tables>,
  limit: number,
): Promise<readonly WaitingUpdate[]> {
  const rows = await database
    .selectFrom('updates')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('events')
          .select(['at', 'event'])
          .whereRef('events.update_id', '=', 'updates.id')
          .where('events.kind', 'in', ['attempt_started', 'attempt_ended'])
          .orderBy('seq', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .where('updates.in_outbox', '=', true)
    .where('updates.state', 'in', ['queued', 'sending'])
    .select(viewColumns.map((name) => `updates.${name}` as const))
    .select(['last.at', 'last.event'])
    .select(({ selectFrom, fn }) =>
      selectFrom('updates as earlier')
        .whereRef('earlier.token', '=', 'updates.token')
        .whereRef('earlier.position', '<', 'updates.position')
        .where('earlier.in_outbox', '=', true)
        .where('earlier.decision', 'is', null)
        .where('earlier.state', 'in', ['queued', 'sending', 'unknown'])
        .select(
          fn.max(sql<string>`case earlier.state when 'unknown' then 'decision' else 'earlier' end`).as('x'),
        )
        .as('blocked'),
    )
    .orderBy('updates.position')
    .limit(limit)
    .execute();
  return rows.map(({ at, event, blocked, ...row }) => {
    const attempt = event && at ? readAttempt(event, at) : undefined;
    return {
      update: readView(row),
      attempts: attempt?.attempts ?? 0,
      waitsFor: attempt?.waitsFor ?? (blocked as 'decision' | 'earlier' | null) ?? 'turn',
      lastEnd: attempt?.lastEnd ?? null,
    };
  });
}

function readAttempt(event: StoredEvent, at: Date): Omit<WaitingUpdate, 'update'> | undefined {
  if (event.kind === 'attempt_started') {
    return { attempts: event.attempt, waitsFor: 'answer', lastEnd: null };
  }
  if (event.kind !== 'attempt_ended') return undefined;
  const { attempt, status, error } = event;
  return {
    attempts: attempt,
    waitsFor: 'attempt',
    lastEnd: {
      at: at.toISOString(),
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    },
  };
}

/** Counts what an outbox has before it, or keeps for a decision on what became of it. */
export async function countInOutbox(database: Kysely<Tables>): Promise<number> {
  const { count } = await database
    .selectFrom('updates')
    .where('in_outbox', '=', true)
    .where(({ eb, and, or }) =>
      or([
        eb('state', 'in', ['queued', 'sending']),
        and([eb('state', '=', 'unknown'), eb('decision', 'is', null)]),
      ]),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
