import type { DecisionFilter } from './decision-filter.ts';
import { drawDecisions } from './draw-updates.ts';
import type { Decision, Operations } from './operations.ts';
import { jsonLine, type Screen } from './screen.ts';
import { walkDecisions } from './walk-decisions.ts';

/** Which updates that wait are listed, and how. */
export interface DeadOptions {
  readonly filter: DecisionFilter;
  readonly limit: number;
  readonly asJson: boolean;
}

/** Lists the updates that wait for a decision. */
export async function listDead(
  operations: Operations,
  { filter, limit, asJson }: DeadOptions,
  screen: Screen,
): Promise<void> {
  const found: Decision[] = [];
  let hasMore = false;
  for await (const decision of walkDecisions(operations, filter)) {
    hasMore = found.length === limit;
    if (hasMore) break;
    found.push(decision);
  }
  if (asJson) return screen.print(jsonLine(found));
  if (found.length === 0) {
    const others = await operations.listDecisions(1);
    return screen.print(
      others.length === 0
        ? 'No update waits for a decision.\n'
        : 'No update of these waits for a decision; "orders-outbox dead" lists the others.\n',
    );
  }
  screen.print(drawDecisions(found, new Date(), screen.paint));
  if (hasMore) screen.print(`These are the oldest ${limit}; --limit shows more.\n`);
}
