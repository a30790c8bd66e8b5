import './editor.css';
import { useFormState, useWatch } from 'react-hook-form';
import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderView } from '../../contract/order-view.ts';
import type { OrderControl } from '../form/order-control.ts';
import type { OrderForm } from '../form/order-form.ts';
import { editorWords } from '../words/editor.ts';
import { Section } from './section.tsx';
import { TextField } from './text-field.tsx';

export interface BuyerFieldsProps {
  readonly control: OrderControl;
  /** The session that the scanner brought last. */
  readonly qrSession: OrderView['qrSession'];
  /** What the form stands for without anything typed. */
  readonly base: () => OrderForm;
}

/** Who buys, and the session of a payment by QR code. */
export function BuyerFields({ control, qrSession, base }: BuyerFieldsProps) {
  const { fields } = editorWords.order;
  const { qrSessionId } = fieldNames;
  const typed = useWatch({ control, name: qrSessionId, exact: true });
  // What was applied becomes what is compared with, and then this session was sent.
  useFormState({ control }).isDirty;
  return (
    <Section name="buyer">
      <div className="editor-grid">
        <TextField control={control} name="user_session_id" {...fields.user_session_id} />
        <TextField control={control} name="user_identifier" {...fields.user_identifier} />
        <TextField
          control={control}
          name={qrSessionId}
          label={fields[qrSessionId].label}
          help={
            qrSession && typed === qrSession.id
              ? tellScan(qrSession.at, base()[qrSessionId] === typed)
              : fields[qrSessionId].help
          }
        />
      </div>
    </Section>
  );
}

function tellScan(at: string, isSent: boolean): string {
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return isSent ? editorWords.buyer.scannedAndSent(time) : editorWords.buyer.scannedAt(time);
}
