import './bulk.css';
import { BulkRowState, type BulkView } from '../../contract/bulk-view.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';
import { rowStateIcon } from './row-state-icon.ts';

/** How a row stands, or how many stand so: an icon and a word in its colours. */
export function StateMark({ state, count }: { readonly state: BulkRowState; readonly count?: number }) {
  return (
    <span className="state-mark" data-state={state}>
      <Icon name={rowStateIcon[state]} size={13} />
      {bulkWords.rowStates[state]}
      {count !== undefined && <span className="state-count">{count.toLocaleString('en')}</span>}
    </span>
  );
}

/** The states that some row of a bulk is in. */
export function shownStates(counts: BulkView['counts']): readonly BulkRowState[] {
  return BulkRowState.options.filter((state) => (counts[state] ?? 0) > 0);
}
