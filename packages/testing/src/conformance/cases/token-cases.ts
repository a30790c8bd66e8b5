import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts';
import { plainUpdate, updateOf, updateWith } from '../requests.ts';

/** Which orders a path names (interface document, What the service does). */
export const tokenCases: readonly ConformanceCase[] = [
  {
    id: 'update-refuses-unknown-token',
    title: 'An update of an order that does not exist is refused',
    source: 'What the service does',
    strength: 'implied',
    changes: 'nothing',
    needs: [],
    // An update would change the order, and this one must be possible where none may be changed.
    baseline: 'echo',
    request: (context) => ({ ...plainUpdate(context), path: updateOf(`unknown-${context.runId}`).path }),
    expect: { outcome: 'refused' },
  },
  {
    id: 'update-refuses-order-id-as-token',
    title: "An update that names the order by the merchant's own order_id is refused",
    source: 'What the service does',
    strength: 'stated',
    changes: 'order',
    needs: ['orderToken'],
    baseline: 'update',
    before: updateWith((context) => ({ order_id: ownId(context) })),
    request: (context) => ({ ...plainUpdate(context), path: updateOf(ownId(context)).path }),
    expect: { outcome: 'refused' },
  },
];

function ownId({ runId }: ConformanceContext): string {
  return `own-${runId}`;
}
