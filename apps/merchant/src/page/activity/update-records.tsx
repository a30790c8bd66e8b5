import './activity.css';
import type { UpdateView } from '../../contract/update-view.ts';
import { useSentBody } from '../api/orders.ts';
import { setOut } from '../sending/set-out.ts';
import { Code } from '../shell/code-block.tsx';
import { CopyText } from '../shell/copy-text.tsx';
import { Disclosure } from '../shell/disclosure.tsx';
import { activityWords } from '../words/activity.ts';

/** What support would ask for: what happened, the receipt, what the order service said, and what was sent. */
export function UpdateRecords({ update }: { readonly update: UpdateView }) {
  const { error, data, receipt } = update.report ?? {};
  const answer = error?.answer === undefined ? data : setOut(error.answer);
  return (
    <div className="records">
      {error && (
        <div>
          <p className="code-block-title">{activityWords.problem}</p>
          <p className="records-problem">{error.message}</p>
          {error.issues && (
            <ul className="records-problem">
              {error.issues.map(({ path, message }) => (
                <li key={`${path} ${message}`}>
                  {path}: {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <div>
        {receipt !== undefined && <Receipt text={formatJson(receipt)} />}
        {answer !== undefined && (
          <Disclosure title={activityWords.answer}>
            <Code text={typeof answer === 'string' ? answer : formatJson(answer)} />
          </Disclosure>
        )}
        <Disclosure title={activityWords.sent}>
          <SentBody id={update.id} />
        </Disclosure>
      </div>
    </div>
  );
}

function Receipt({ text }: { readonly text: string }) {
  return (
    <Disclosure
      title={activityWords.receipt}
      aside={<CopyText text={text} label={activityWords.copyReceipt} />}
    >
      <Code text={text} />
    </Disclosure>
  );
}

function SentBody({ id }: { readonly id: string }) {
  const { data, isError } = useSentBody(id);
  if (data !== undefined) return <Code text={formatJson(data)} />;
  return <p className="records-note">{isError ? activityWords.failedSent : activityWords.loadingSent}</p>;
}

function formatJson(data: unknown): string {
  return JSON.stringify(data, null, 2);
}
