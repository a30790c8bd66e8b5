import { type DecisionFilter, matchesFilter } from './decision-filter.ts';
import type { Decision, Operations } from './operations.ts';

/** Updates that are listed at a time. */
const page = 500;

/**
 * Goes through the updates that wait for a decision and match, each once, oldest first, until none is left that it has
 * not given. What it gave may be decided meanwhile, and may come to wait again.
 */
export async function* walkDecisions(
  operations: Pick<Operations, 'listDecisions'>,
  filter: DecisionFilter,
): AsyncGenerator<Decision> {
  const seen = new Set<string>();
  for (let limit = page; ; ) {
    const listed = await operations.listDecisions(limit);
    const fresh = listed.filter(({ id }) => !seen.has(id));
    for (const decision of fresh) {
      seen.add(decision.id);
      if (matchesFilter(decision, filter)) yield decision;
    }
    if (fresh.length === 0 && listed.length < limit) return;
    // Those that stay stand before the others: twice as many are listed, and so each is listed a few times at most.
    limit = Math.max(page, 2 * (listed.length - fresh.length));
  }
}
