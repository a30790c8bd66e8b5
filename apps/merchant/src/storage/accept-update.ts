import type { OrderUpdate } from '@orders/schema';
import { sql, type Transaction } from 'kysely';
import type { AcceptedUpdate, HandOver, UpdateChange, UpdateStore } from './desk-storage.ts';
import { addEvent } from './event-store.ts';
import { isStorable } from './is-storable.ts';
import type { Tables } from './tables.ts';
import { UpdateConflict } from './update-conflict.ts';
import { readView, type ViewRow, viewColumns } from './update-view.ts';

/** What accepting an update takes, besides the update. */
interface Acceptance {
  readonly at: Date;
  readonly handOver: HandOver | undefined;
}

/** Accepts an update as a step of a change, or finds it accepted already. */
export async function acceptUpdate(
  transaction: Transaction<Tables>,
  update: AcceptedUpdate,
  { at, handOver }: Acceptance,
): Promise<Awaited<ReturnType<UpdateStore['accept']>>> {
  const { id, token, repeats = null } = update;
  if (!isStorable(token)) throw new UpdateConflict('no_such_order');
  const body = JSON.stringify(update.body);
  const known = await transaction
    .selectFrom('updates')
    .select(viewColumns)
    .select(sql<boolean>`body = ${body}`.as('hasSameBody'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (known) {
    if (known.token !== token || !known.hasSameBody) throw new UpdateConflict('id_taken');
    return { update: readView(known) };
  }
  const order = await transaction
    .selectFrom('orders')
    .select('token')
    .where('token', '=', token)
    .executeTakeFirst();
  if (!order) throw new UpdateConflict('no_such_order');

  const row = await transaction
    .insertInto('updates')
    .values({
      id,
      token,
      body,
      body_bytes: Buffer.byteLength(body),
      state: 'queued',
      created_at: at,
      repeats,
      in_outbox: handOver !== undefined,
    })
    .returning(viewColumns)
    .executeTakeFirstOrThrow();
  await handOver?.(transaction, update);
  return tellQueued(transaction, row, at);
}

/** Accepts, as a step of a change, the same body under a new id. */
export async function repeatUpdate(
  transaction: Transaction<Tables>,
  { id, newId }: { readonly id: string; readonly newId: string },
  { at, handOver }: Acceptance,
): Promise<UpdateChange & { readonly body: OrderUpdate }> {
  const row = await transaction
    .insertInto('updates')
    .columns(['id', 'token', 'body', 'body_bytes', 'state', 'created_at', 'repeats', 'in_outbox'])
    .expression(({ selectFrom, val }) =>
      selectFrom('updates')
        .where('id', '=', id)
        .select([
          sql<string>`${newId}`.as('id'),
          'token',
          'body',
          'body_bytes',
          sql<string>`'queued'`.as('state'),
          sql<Date>`${val(at)}::timestamptz`.as('created_at'),
          'id as repeats',
          val(handOver !== undefined).as('in_outbox'),
        ]),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning([...viewColumns, 'body'])
    .executeTakeFirst();
  if (!row) throw new UpdateConflict('id_taken');
  const body = row.body as OrderUpdate;
  await handOver?.(transaction, { id: newId, token: row.token, body, repeats: id });
  return { ...(await tellQueued(transaction, row, at)), body };
}

async function tellQueued(transaction: Transaction<Tables>, row: ViewRow, at: Date): Promise<UpdateChange> {
  const update = readView(row);
  const event = { kind: 'update_queued', token: update.token, updateId: update.id, update } as const;
  return { update, event: await addEvent(transaction, event, at) };
}
