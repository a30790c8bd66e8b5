import './dock.css';
import type { FieldPath } from 'react-hook-form';
import type { FieldIssue } from '../form/field-issues.ts';
import type { OrderForm } from '../form/order-form.ts';
import { sendingWords } from '../words/sending.ts';
import { nameField } from './name-field.ts';
import { State } from './state.tsx';

export interface IssueStateProps {
  readonly issues: readonly FieldIssue[];
  /** Whether these issues were found after the update was sent off. */
  readonly isRefused: boolean;
  readonly onShow: (field: FieldPath<OrderForm>) => void;
}

/** How many fields are named besides the first: as many as fit on a line. */
const namedBesides = 3;

/** What has to be mended first, each a way to its field. */
export function IssueState({ issues, isRefused, onShow }: IssueStateProps) {
  const [first, ...others] = issues;
  const unnamed = others.length - namedBesides;
  return (
    <State
      tone="rejected"
      icon="warning"
      title={sendingWords.issues(issues.length, isRefused)}
      text={
        <>
          {first && (
            <p className="dock-issue">
              <Subject issue={first} onShow={onShow} />: {first.message}. {first.field ? '' : first.hint}
            </p>
          )}
          {others.length > 0 && (
            <p className="dock-issue">
              {sendingWords.also}
              {others.slice(0, namedBesides).map((issue, index) => (
                <span key={issue.field ?? issue.message}>
                  {index > 0 ? ', ' : ' '}
                  <Subject issue={issue} onShow={onShow} />
                </span>
              ))}
              {unnamed > 0 && ` ${sendingWords.moreIssues(unnamed)}`}
            </p>
          )}
        </>
      }
    />
  );
}

function Subject({ issue, onShow }: { readonly issue: FieldIssue } & Pick<IssueStateProps, 'onShow'>) {
  const { field } = issue;
  if (!field) return <strong>{sendingWords.general}</strong>;
  return (
    <button type="button" className="dock-link" onClick={() => onShow(field)}>
      {nameField(field)}
    </button>
  );
}
