import './activity.css';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderView } from '../../contract/order-view.ts';
import { postScan } from '../api/orders.ts';
import { useOrderFormActions } from '../form/order-form-actions.ts';
import { Icon } from '../icon.tsx';
import { CopyText } from '../shell/copy-text.tsx';
import { formatTime } from '../words/format.ts';
import { qrWords } from '../words/qr.ts';

/** The QR payment of an order: where a scan is told to, a button that plays one, and the session that came of it. */
export function QrPanel({ order }: { readonly order: OrderView }) {
  const { token, body, webhookUrl, qrSession } = order;
  const { control, setField } = useOrderFormActions();
  const [typedUrl, typedSession] = useWatch({
    control,
    name: ['hooks.webhook_url', fieldNames.qrSessionId],
  });
  const isKnown = body.hooks?.webhook_url === webhookUrl;
  const isTyped = typedUrl === webhookUrl;
  const { known, typed, unknown } = qrWords.states;
  return (
    <section className="activity-card" aria-label={qrWords.title}>
      <h2 className="activity-title">{qrWords.title}</h2>
      <div className="qr-part">
        <div className="code-block-head">
          <p className="code-block-title">{qrWords.address}</p>
          <CopyText text={webhookUrl} label={qrWords.copyAddress} />
        </div>
        <code className="qr-code">{webhookUrl}</code>
        <p className="qr-state" data-good={isKnown || undefined}>
          <Icon name={isKnown ? 'check' : isTyped ? 'send' : 'plug'} size={14} />
          {isKnown ? known : isTyped ? typed : unknown}
        </p>
        {!isTyped && (
          <Button size="xs" variant="default" onClick={() => setField('hooks.webhook_url', webhookUrl)}>
            {qrWords.put}
          </Button>
        )}
        <p className="qr-help">{qrWords.addressHelp}</p>
      </div>
      <Scanner token={token} isKnown={isKnown} />
      <div className="qr-part">
        <div className="code-block-head">
          <p className="code-block-title">{qrWords.session}</p>
          {qrSession && <CopyText text={qrSession.id} label={qrWords.copySession} />}
        </div>
        {qrSession ? (
          <>
            <code className="qr-code">{qrSession.id}</code>
            <Carried
              isTyped={typedSession === qrSession.id}
              isSent={Reflect.get(body, fieldNames.qrSessionId) === qrSession.id}
              onPut={() => setField(fieldNames.qrSessionId, qrSession.id)}
            />
            <p className="qr-help">{qrWords.arrived(formatTime(qrSession.at))}</p>
          </>
        ) : (
          <p className="qr-help">{qrWords.none}</p>
        )}
      </div>
    </section>
  );
}

interface ScannerProps {
  readonly token: string;
  /** Whether the order service knows this desk's address. */
  readonly isKnown: boolean;
}

function Scanner({ token, isKnown }: ScannerProps) {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => postScan(token) });
  const isOff = !isKnown || isPending;
  const problem = error?.message ?? data?.problem;
  const { play, playing, playHelp, needsAddress, delivered, inEarnest } = qrWords;
  return (
    <div className="qr-part">
      <Button
        size="xs"
        leftSection={<Icon name="scan" size={14} />}
        aria-disabled={isOff || undefined}
        onClick={() => isOff || mutate()}
      >
        {isPending ? playing : play}
      </Button>
      <p className="qr-help">{isKnown ? playHelp : needsAddress}</p>
      <div role="status">
        {data?.delivered && (
          <p className="qr-state" data-good="">
            <Icon name="check" size={14} />
            {delivered}
          </p>
        )}
        {problem !== undefined && (
          <>
            <p className="qr-state" data-bad="">
              <Icon name="warning" size={14} />
              {problem}
            </p>
            <p className="qr-help">{inEarnest}</p>
          </>
        )}
      </div>
    </div>
  );
}

interface CarriedProps {
  readonly isTyped: boolean;
  readonly isSent: boolean;
  readonly onPut: () => void;
}

function Carried({ isTyped, isSent, onPut }: CarriedProps) {
  const { form, sent, missing } = qrWords.carried;
  return (
    <>
      <p className="qr-state" data-good={isSent || isTyped || undefined}>
        <Icon name={isSent ? 'check' : isTyped ? 'send' : 'warning'} size={14} />
        {isSent ? sent : isTyped ? form : missing}
      </p>
      {!isTyped && (
        <Button size="xs" variant="default" onClick={onPut}>
          {qrWords.putSession}
        </Button>
      )}
    </>
  );
}
