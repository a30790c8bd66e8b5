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
  // Where the one that was given last is forgotten meanwhile, they are listed from the beginning.
  const seen = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const listed = await operations.listDecisions(page, after);
    for (const decision of listed) {
      if (seen.has(decision.id)) continue;
      seen.add(decision.id);
      if (matchesFilter(decision, filter)) yield decision;
    }
    if (listed.length < page) return;
    after = listed.at(-1)?.id;
  }
}
