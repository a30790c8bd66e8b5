import './dock.css';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type FieldPath, useFormState } from 'react-hook-form';
import type { UpdateReport } from '../../contract/update-report.ts';
import { listIssues } from '../form/field-issues.ts';
import type { OrderControl } from '../form/order-control.ts';
import type { OrderForm } from '../form/order-form.ts';
import { Icon } from '../icon.tsx';
import { words } from '../words.ts';
import { IssueState } from './issue-state.tsx';
import { OutcomeState } from './outcome-state.tsx';
import { ReportDetails } from './report-details.tsx';
import { State } from './state.tsx';

export interface DispatchDockProps {
  readonly control: OrderControl;
  /** What became of the update sent last. */
  readonly report: UpdateReport | null;
  /** Called to take the user to a field. */
  readonly onShow: (field: FieldPath<OrderForm>) => void;
}

/** Where an update is sent from, and where its outcome is told: always in view, always of the same height. */
export function DispatchDock({ control, report, onShow }: DispatchDockProps) {
  const { errors, isDirty, isSubmitting } = useFormState({ control });
  const [isOpen, setIsOpen] = useState(false);
  const issues = listIssues(errors);
  const hasOutcome = report !== null && issues.length === 0 && !isSubmitting;
  return (
    <section className="dock" aria-label={words.dock.label}>
      {isOpen && hasOutcome && <ReportDetails report={report} />}
      <div className="dock-bar">
        <div className="dock-live" role="status">
          {isSubmitting ? (
            <State tone="plain" icon="send" {...words.dock.sending} />
          ) : issues.length > 0 ? (
            <IssueState
              issues={issues}
              isRefused={report?.error?.code === 'invalid_request'}
              onShow={onShow}
            />
          ) : report ? (
            <OutcomeState report={report} isEdited={isDirty} />
          ) : (
            <State tone="plain" icon="send" {...words.dock.idle} />
          )}
        </div>
        <div className="dock-actions">
          {hasOutcome && (
            <Button variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {words.dock.details}
            </Button>
          )}
          <Button
            type="submit"
            leftSection={<Icon name="send" />}
            aria-disabled={isSubmitting || undefined}
            aria-keyshortcuts="Control+Enter"
          >
            {words.dock.send}
          </Button>
        </div>
      </div>
    </section>
  );
}
