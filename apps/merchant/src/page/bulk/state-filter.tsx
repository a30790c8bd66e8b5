import './bulk.css';
import { BulkRowState, type BulkView } from '../../contract/bulk-view.ts';
import { Icon, type IconName } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';
import { rowStateIcon } from './row-state-icon.ts';

export interface StateFilterProps {
  readonly bulk: BulkView;
  /** The state whose rows are shown; `undefined` for all. */
  readonly shown: BulkRowState | undefined;
  readonly onShow: (state: BulkRowState | undefined) => void;
}

/** How many rows are in each state, and the way to look at them alone. */
export function StateFilter({ bulk, shown, onShow }: StateFilterProps) {
  const { filter, rowStates } = bulkWords;
  const choice = (state: BulkRowState | undefined) => {
    const name = state ? rowStates[state] : filter.all;
    const count = state ? (bulk.counts[state] ?? 0) : bulk.rows;
    const icon: IconName = state ? rowStateIcon[state] : 'list';
    return (
      <button
        key={state ?? 'all'}
        type="button"
        className="state-choice"
        data-state={state}
        data-none={count === 0 || undefined}
        aria-pressed={shown === state}
        onClick={() => onShow(state)}
      >
        <span className="state-choice-name">
          <Icon name={icon} size={13} />
          {name}
        </span>{' '}
        <span className="state-choice-count">{count.toLocaleString('en')}</span>
      </button>
    );
  };
  return (
    <fieldset className="state-filter" aria-label={filter.label}>
      {[undefined, ...BulkRowState.options].map(choice)}
    </fieldset>
  );
}
