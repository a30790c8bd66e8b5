import './bulk.css';
import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { BulkRowState } from '../../contract/bulk-view.ts';
import { useBulk } from '../api/bulks.ts';
import { DeskProblem } from '../api/request.ts';
import { Notice } from '../shell/notice.tsx';
import { useTitle } from '../shell/use-title.ts';
import { bulkWords as words } from '../words/bulk.ts';
import { shellWords } from '../words/shell.ts';
import { BulkHead } from './bulk-head.tsx';
import { ProgressPanel } from './progress-panel.tsx';
import { ResultLinks } from './result-links.tsx';
import { RowTable } from './row-table.tsx';
import { StateFilter } from './state-filter.tsx';
import { stageOf } from './tally.ts';
import { UnknownRows } from './unknown-rows.tsx';
import { useBulkActions } from './use-bulk-actions.ts';

/** One file: what was read of it, how far it is sent, and what became of each row. */
export function BulkDetail({ id }: { readonly id: string }) {
  const { data: bulk, error, refetch } = useBulk(id);
  const actions = useBulkActions(id);
  const [shown, setShown] = useState<BulkRowState>();
  useTitle(bulk?.name ?? words.title);
  if (!bulk) {
    if (!error) return <Loading />;
    const isUnknown = error instanceof DeskProblem && error.status === 404;
    const { title, text } = isUnknown ? words.unknown : words.failed;
    return (
      <Notice icon={isUnknown ? 'question' : 'warning'} title={title} text={text}>
        {isUnknown ? (
          <Button component={Link} href="/bulk">
            {words.back}
          </Button>
        ) : (
          <Button onClick={() => void refetch()}>{shellWords.retry}</Button>
        )}
      </Notice>
    );
  }
  const stage = stageOf(bulk);
  const isStill = stage !== 'running' && stage !== 'pausing';
  return (
    <>
      <BulkHead bulk={bulk} actions={actions} canRemove={isStill} />
      <ProgressPanel bulk={bulk} actions={actions} />
      {isStill && <UnknownRows bulk={bulk} actions={actions} />}
      <section className="bulk-section">
        <StateFilter bulk={bulk} shown={shown} onShow={setShown} />
        <RowTable key={shown ?? 'all'} bulk={bulk} state={shown} />
        <ResultLinks id={id} />
      </section>
    </>
  );
}

function Loading() {
  return (
    <div className="bulk-loading" role="status" aria-label={words.loading}>
      <Skeleton height={52} width="40%" />
      <Skeleton height={176} />
      <Skeleton height={520} />
    </div>
  );
}
