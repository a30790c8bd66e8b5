import { type BodyReport, maxLength, type PlacedIssue } from './explain-body.ts';
import type { Place } from './read-json.ts';

interface Props {
  readonly report: BodyReport | undefined;
  /** Why the reader's own names cannot be used. */
  readonly mistake: string | undefined;
  readonly onShow: (place: Place) => void;
}

/** What is to be said of the body. */
export function ReportView({ report, mistake, onShow }: Props) {
  return (
    <section class="playground-report" aria-label="What is to be said of it" aria-live="polite">
      {report ? (
        <ReportBody report={report} onShow={onShow} />
      ) : (
        <Verdict tone="rejected" title="These names cannot be used" text={mistake ?? ''} />
      )}
    </section>
  );
}

function ReportBody({ report, onShow }: { readonly report: BodyReport; readonly onShow: Props['onShow'] }) {
  switch (report.state) {
    case 'empty':
      return (
        <Verdict tone="not-sent" title="Nothing to explain yet" text="Paste a body, or pick an example." />
      );
    case 'too_long':
      return (
        <Verdict
          tone="rejected"
          title="Too long for this page"
          text={`More than ${maxLength.toLocaleString('en')} characters: take the schema itself.`}
        />
      );
    case 'broken':
      return (
        <div>
          <Verdict tone="rejected" title="This is not JSON" text="It breaks off here:" />
          <ol class="playground-issues">
            <Remark
              label={`line ${report.place.line}, column ${report.place.column}`}
              message={report.mistake.message}
              hint={report.mistake.hint}
              place={report.place}
              onShow={onShow}
            />
          </ol>
        </div>
      );
    case 'passes':
      return (
        <Verdict
          tone="applied"
          title="This body passes"
          text={`${report.bytes.toLocaleString('en')} bytes would be sent, as given.`}
        />
      );
    case 'refused':
      return (
        <div>
          <Verdict
            tone="rejected"
            title={
              report.issues.length === 1 ? 'One thing to mend' : `${report.issues.length} things to mend`
            }
            text="Nothing would be sent."
          />
          <ol class="playground-issues">{report.issues.slice(0, 100).map(tellIssue(onShow))}</ol>
        </div>
      );
  }
}

const tellIssue = (onShow: Props['onShow']) => (issue: PlacedIssue, index: number) => (
  <Remark
    key={index}
    label={issue.path || 'the body'}
    code={issue.code}
    message={issue.message}
    hint={issue.hint}
    place={issue.place}
    onShow={onShow}
  />
);

interface RemarkProps {
  readonly label: string;
  readonly code?: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly place: Place;
  readonly onShow: Props['onShow'];
}

function Remark({ label, code, message, hint, place, onShow }: RemarkProps) {
  return (
    <li>
      <p class="playground-where">
        <button type="button" onClick={() => onShow(place)}>
          <code>{label}</code>
        </button>
        {code === undefined ? null : <span class="playground-code">{`line ${place.line} · ${code}`}</span>}
      </p>
      <p>{message}</p>
      {hint === undefined ? null : <p class="playground-hint">{hint}</p>}
    </li>
  );
}

interface VerdictProps {
  readonly tone: 'applied' | 'rejected' | 'not-sent';
  readonly title: string;
  readonly text: string;
}

function Verdict({ tone, title, text }: VerdictProps) {
  return (
    <div class={`playground-verdict outcome-${tone}`}>
      <p class="playground-title">{title}</p>
      <p>{text}</p>
    </div>
  );
}
