import { sql, type Transaction } from 'kysely';
import type { UpdateReport } from '../contract/update-report.ts';
import type { Decision } from '../contract/update-view.ts';
import type { UpdateChange } from './desk-storage.ts';
import { addEvent } from './event-store.ts';
import { isStorable } from './is-storable.ts';
import { readEvent } from './read-event.ts';
import type { Tables } from './tables.ts';
import { readView, viewColumns } from './update-view.ts';
import { writeReport } from './write-report.ts';

/**
 * Stores, as a step of a change, what became of an update that is open, with all that follows from it. Saying the same
 * again gives what was stored, since an answer of the database can be lost after it stored; undefined when the update is
 * not known, or was settled otherwise.
 */
export async function settleUpdate(
  transaction: Transaction<Tables>,
  { id, report }: { readonly id: string; readonly report: UpdateReport },
  at: Date,
): Promise<UpdateChange | undefined> {
  const text = writeReport(report);
  const row = await transaction
    .updateTable('updates')
    .set({ state: report.outcome, report: text, settled_at: at })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'sending'])
    .returning([...viewColumns, 'position'])
    .executeTakeFirst();
  if (!row) return findSettled(transaction, id, text);
  if (row.state === 'applied')
    await followApplied(transaction, { id, token: row.token, position: row.position, isLast: false });
  const update = readView(row);
  const event = { kind: 'update_settled', token: update.token, updateId: id, update } as const;
  return { update, event: await addEvent(transaction, event, at) };
}

/** An update that was applied. */
interface AppliedUpdate {
  readonly id: string;
  readonly token: string;
  readonly position: number;
  /** Whether it is known that none was applied after it. */
  readonly isLast: boolean;
}

/** Makes its body the order's, unless a newer update was applied before, and forgets the draft that it came from. */
export async function followApplied(transaction: Transaction<Tables>, applied: AppliedUpdate): Promise<void> {
  const { id, token, position, isLast } = applied;
  await transaction
    .updateTable('orders')
    .set(({ selectFrom }) => ({
      body: selectFrom('updates').select('body').where('id', '=', id).$asScalar().$castTo<string>(),
    }))
    .where('token', '=', token)
    .where(({ not, exists, selectFrom, or, lit }) =>
      or([
        lit(isLast),
        not(
          exists(
            selectFrom('updates')
              .select('id')
              .where('token', '=', token)
              .where('state', '=', 'applied')
              .where('position', '>', position),
          ),
        ),
      ]),
    )
    .execute();
  await transaction
    .deleteFrom('drafts')
    .where('token', '=', token)
    .where('after_position', '<', position)
    .execute();
}

async function findSettled(
  transaction: Transaction<Tables>,
  id: string,
  report: string,
): Promise<UpdateChange | undefined> {
  const row = await transaction
    .selectFrom('updates')
    .innerJoin('events', 'events.update_id', 'updates.id')
    .where('updates.id', '=', id)
    .where(sql<boolean>`updates.report = ${report}`)
    .where('events.kind', '=', 'update_settled')
    .select(['events.seq', 'events.at', 'events.event'])
    .executeTakeFirst();
  if (row?.event.kind !== 'update_settled') return undefined;
  return { update: row.event.update, event: readEvent(row) };
}

/** Stores a person's choice as a step of a change; undefined when there is nothing to choose. */
export async function decideUpdate(
  transaction: Transaction<Tables>,
  { id, decision }: { readonly id: string; readonly decision: Decision },
  at: Date,
): Promise<UpdateChange | undefined> {
  if (!isStorable(id)) return undefined;
  const row = await transaction
    .updateTable('updates')
    .set({ decision })
    .where('id', '=', id)
    .where('state', '=', 'unknown')
    .where('decision', 'is', null)
    .returning(viewColumns)
    .executeTakeFirst();
  if (!row) return undefined;
  const update = readView(row);
  const event = { kind: 'update_decided', token: update.token, updateId: id, decision, update } as const;
  return { update, event: await addEvent(transaction, event, at) };
}
