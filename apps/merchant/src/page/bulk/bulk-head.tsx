import './bulk.css';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { BulkView } from '../../contract/bulk-view.ts';
import { Icon } from '../icon.tsx';
import { bulkWords as words } from '../words/bulk.ts';
import { formatTime } from '../words/format.ts';
import type { BulkActions } from './use-bulk-actions.ts';

export interface BulkHeadProps {
  readonly bulk: BulkView;
  readonly actions: BulkActions;
  readonly canRemove: boolean;
}

/** What the file is called, and the ways out of it. */
export function BulkHead({ bulk, actions, canRemove }: BulkHeadProps) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <header className="bulk-intro">
      <Link className="bulk-back" href="/bulk">
        <Icon name="back" size={14} />
        {words.back}
      </Link>
      <div className="bulk-head">
        <div className="bulk-said">
          <h1 className="bulk-name">{bulk.name}</h1>
          <p className="bulk-help">
            {words.earlier.rows(bulk.rows)} · {words.readAt(formatTime(bulk.createdAt))}
          </p>
        </div>
        {isAsked && canRemove ? (
          <div className="bulk-buttons" role="alert">
            <span>{words.remove.sure}</span>
            <Button color="red" size="xs" onClick={() => actions.act('remove')}>
              {words.remove.yes}
            </Button>
            <Button variant="default" size="xs" onClick={() => setIsAsked(false)}>
              {words.remove.no}
            </Button>
          </div>
        ) : (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="trash" size={14} />}
            disabled={!canRemove}
            onClick={() => setIsAsked(true)}
          >
            {words.remove.ask}
          </Button>
        )}
      </div>
    </header>
  );
}
