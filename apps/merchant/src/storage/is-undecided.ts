import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Tables } from './tables.ts';

/** The rows of which `awaitsDecision` holds. */
export function isUndecided({ eb, and, or }: ExpressionBuilder<Tables, 'updates'>): Expression<SqlBool> {
  return and([
    eb('updates.decision', 'is', null),
    or([
      eb('updates.state', '=', 'unknown'),
      and([eb('updates.state', 'in', ['rejected', 'not_sent']), eb('updates.in_outbox', '=', true)]),
    ]),
  ]);
}
