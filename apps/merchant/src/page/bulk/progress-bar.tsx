import './bulk.css';
import { Progress } from '@mantine/core';
import type { BulkRowState, BulkView } from '../../contract/bulk-view.ts';
import { bulkWords } from '../words/bulk.ts';
import type { Tally } from './tally.ts';

const words = bulkWords.panel;

const drawn = ['applied', 'rejected', 'unknown', 'not_sent', 'discarded'] as const satisfies BulkRowState[];

/** How many rows are settled; its colours repeat what the counts below say in words. */
export function ProgressBar({ bulk, tally }: { readonly bulk: BulkView; readonly tally: Tally }) {
  const { settled, sendable, percent } = tally;
  return (
    <div
      role="progressbar"
      aria-label={words.progress}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={words.settled(settled, sendable)}
    >
      <Progress.Root className="panel-bar" size="lg" transitionDuration={200}>
        {drawn.map((state) => (
          <Progress.Section
            key={state}
            withAria={false}
            value={sendable === 0 ? 0 : ((bulk.counts[state] ?? 0) / sendable) * 100}
            color={`var(--desk-${state === 'discarded' ? 'not_sent' : state})`}
          />
        ))}
      </Progress.Root>
    </div>
  );
}
