import './bulk.css';
import { Button } from '@mantine/core';
import type { BulkView } from '../../contract/bulk-view.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';
import type { BulkActions } from './use-bulk-actions.ts';

const words = bulkWords.unknownRows;

/** Lets a person choose for the rows that may have arrived. */
export function UnknownRows({ bulk, actions }: { readonly bulk: BulkView; readonly actions: BulkActions }) {
  const count = bulk.counts.unknown ?? 0;
  if (count === 0) return null;
  return (
    <section className="bulk-section unknown-rows" aria-labelledby="unknown-title">
      <span className="unknown-mark">
        <Icon name="question" size={18} />
      </span>
      <div className="unknown-said">
        <h2 className="unknown-title" id="unknown-title">
          {words.title(count)}
        </h2>
        <p>{words.text}</p>
      </div>
      <div className="bulk-buttons">
        <Button
          variant="default"
          loading={actions.pending === 'sent_again'}
          onClick={() => actions.act('sent_again')}
        >
          {words.again}
        </Button>
        <Button
          variant="default"
          loading={actions.pending === 'discarded'}
          onClick={() => actions.act('discarded')}
        >
          {words.discard}
        </Button>
      </div>
    </section>
  );
}
