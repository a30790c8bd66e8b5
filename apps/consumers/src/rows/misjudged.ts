import type { BreakageName } from '../packing/breakage.ts';
import type { Result } from './run-rows.ts';

/** The rows that should have noticed a breakage and did not, or should not have and did, a line each. */
export function misjudged(results: readonly Result[], broken: BreakageName): readonly string[] {
  return results.flatMap(({ row, reason }) => {
    const expected = row.redWhen.includes(broken);
    if (expected === (reason !== undefined)) return [];
    return expected ? `${row.name}: did not notice` : `${row.name}: ${reason}`;
  });
}
