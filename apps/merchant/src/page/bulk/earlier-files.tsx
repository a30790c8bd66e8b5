import './bulk.css';
import { Button, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import type { BulkView } from '../../contract/bulk-view.ts';
import { useBulks } from '../api/bulks.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';
import { formatTime } from '../words/format.ts';
import { shellWords } from '../words/shell.ts';
import { StateMark, shownStates } from './state-mark.tsx';

const words = bulkWords.earlier;

/** The files dropped before, newest first. */
export function EarlierFiles() {
  const { data, isError, refetch } = useBulks();
  return (
    <section className="bulk-section" aria-labelledby="files-title" aria-busy={!data && !isError}>
      <h2 className="bulk-title" id="files-title">
        {words.title}
      </h2>
      {data ? (
        data.bulks.length === 0 ? (
          <p className="bulk-help">{words.none}</p>
        ) : (
          <ul className="files">
            {data.bulks.map((bulk) => (
              <EarlierFile key={bulk.id} bulk={bulk} />
            ))}
          </ul>
        )
      ) : isError ? (
        <div className="bulk-notice" role="alert">
          <p>
            <strong>{words.failed}.</strong> {shellWords.deskUnreachable}
          </p>
          <Button variant="default" size="xs" onClick={() => void refetch()}>
            {shellWords.retry}
          </Button>
        </div>
      ) : (
        <div className="files" role="status" aria-label={words.loading}>
          <Skeleton height={62} />
          <Skeleton height={62} />
        </div>
      )}
    </section>
  );
}

function EarlierFile({ bulk }: { readonly bulk: BulkView }) {
  const { id, name, createdAt, state, rows, counts } = bulk;
  return (
    <li>
      <Link className="file" href={`/bulk/${id}`}>
        <Icon name="file" size={18} />
        <span className="file-name">{name}</span>
        <span className="file-state">{bulkWords.states[state]}</span>
        <span className="file-facts">
          {words.rows(rows)} · {formatTime(createdAt)}
        </span>
        <span className="file-marks">
          {shownStates(counts).map((rowState) => (
            <StateMark key={rowState} state={rowState} count={counts[rowState] ?? 0} />
          ))}
        </span>
      </Link>
    </li>
  );
}
