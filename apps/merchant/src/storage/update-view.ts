import type { Selectable } from 'kysely';
import type { UpdateView } from '../contract/update-view.ts';
import type { UpdatesTable } from './tables.ts';

/** The columns that a view of an update is made of. */
export const viewColumns = [
  'id',
  'token',
  'state',
  'body_bytes',
  'created_at',
  'report',
  'decision',
  'repeats',
  'in_outbox',
  'round',
] as const satisfies readonly (keyof UpdatesTable)[];

export type ViewRow = Pick<Selectable<UpdatesTable>, (typeof viewColumns)[number]>;

/** Reads an update from its row. */
export function readView(row: ViewRow): UpdateView {
  const { id, token, state, report, decision, repeats, round } = row;
  return {
    id,
    token,
    state,
    bodyBytes: row.body_bytes,
    createdAt: row.created_at.toISOString(),
    report,
    decision,
    repeats,
    sentThrough: row.in_outbox ? 'outbox' : 'client',
    round,
  };
}
