import './dock.css';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type FieldPath, useFormState } from 'react-hook-form';
import { listIssues } from '../form/field-issues.ts';
import type { OrderControl } from '../form/order-control.ts';
import type { OrderForm } from '../form/order-form.ts';
import { Icon } from '../icon.tsx';
import { sendingWords } from '../words/sending.ts';
import { IssueState } from './issue-state.tsx';
import { SendPreview } from './send-preview.tsx';
import { SendingState } from './sending-state.tsx';
import type { Sending } from './use-sending.ts';

export interface SendDockProps {
  readonly control: OrderControl;
  readonly token: string;
  readonly sending: Sending;
  /** Reads what the form says now, for the preview of what will be sent. */
  readonly readUpdate: () => unknown;
  /** Called to take the user to a field. */
  readonly onShow: (field: FieldPath<OrderForm>) => void;
}

/** Where an update is sent from, and where its outcome is told: always in view, always of the same height. */
export function SendDock({ control, token, sending, readUpdate, onShow }: SendDockProps) {
  const { errors, isDirty } = useFormState({ control });
  const [previewed, setPreviewed] = useState<{ readonly update: unknown }>();
  const issues = listIssues(errors);
  const { isSubmitting, trouble } = sending;
  return (
    <section className="dock" aria-label={sendingWords.label}>
      <div className="dock-bar">
        <div className="dock-live" role="status">
          {issues.length > 0 && !isSubmitting ? (
            <IssueState issues={issues} isRefused={trouble?.kind === 'refused'} onShow={onShow} />
          ) : (
            <SendingState sending={sending} isEdited={isDirty} />
          )}
        </div>
        <div className="dock-actions">
          <Button
            variant="default"
            leftSection={<Icon name="eye" />}
            aria-haspopup="dialog"
            onClick={() => setPreviewed({ update: readUpdate() })}
          >
            {sendingWords.preview.open}
          </Button>
          <Button
            type="submit"
            leftSection={<Icon name="send" />}
            aria-disabled={isSubmitting || undefined}
            aria-keyshortcuts="Control+Enter"
            // The second click of a double click would send the same twice.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            {sendingWords.send}
          </Button>
        </div>
      </div>
      {previewed && (
        <SendPreview token={token} update={previewed.update} onClose={() => setPreviewed(undefined)} />
      )}
    </section>
  );
}
