import './rows.css';
import type { BulkRow } from '../../contract/bulk-view.ts';
import { Icon } from '../icon.tsx';
import { Code } from '../shell/code-block.tsx';
import { bulkWords } from '../words/bulk.ts';
import { StateMark } from './state-mark.tsx';

const words = bulkWords.table;

/** Issues told without opening a row. */
const toldIssues = 2;

export interface RowCellsProps {
  /** `undefined` while it is being fetched. */
  readonly row: BulkRow | undefined;
  /** Numbers of the rows whose details are open. */
  readonly opened: ReadonlySet<number>;
  readonly onToggle: (row: number) => void;
}

/** One row of the file: where it is, how it stands, and what is wrong with it or what is sent. */
export function RowCells({ row, opened, onToggle }: RowCellsProps) {
  if (!row) return <td className="row-loading" aria-busy="true" />;
  const isOpen = opened.has(row.row);
  const detailsId = `row-${row.row}`;
  return (
    <>
      <td className="row-row">{row.row.toLocaleString('en')}</td>
      <td className="row-line">
        <span className="row-label">{words.columns.line} </span>
        {row.line.toLocaleString('en')}
      </td>
      <td className="row-token" title={row.token}>
        {row.token === '' ? <em>{words.nothing}</em> : row.token}
      </td>
      <td className="row-state">
        <StateMark state={row.state} />
      </td>
      <td className="row-what">
        <What row={row} />
      </td>
      <td className="row-more">
        <button
          type="button"
          className="row-toggle"
          aria-expanded={isOpen}
          aria-controls={detailsId}
          aria-label={words.show(row.row)}
          onClick={() => onToggle(row.row)}
        >
          <Icon name="chevron" size={14} />
        </button>
      </td>
      {isOpen && (
        <td className="row-details" id={detailsId}>
          {row.issues.length > toldIssues && <Issues issues={row.issues} />}
          {row.attempts !== undefined && <p>{words.attempts(row.attempts, row.status)}</p>}
          <p className="row-details-title">{row.state === 'bad' ? words.read : words.update}</p>
          <Code text={JSON.stringify(row.update, null, 2)} />
        </td>
      )}
    </>
  );
}

function What({ row }: { readonly row: BulkRow }) {
  const { issues, update } = row;
  if (issues.length === 0) return <span className="row-update">{JSON.stringify(update)}</span>;
  const more = issues.length - toldIssues;
  return (
    <>
      <Issues issues={issues.slice(0, toldIssues)} />
      {more > 0 && <span className="row-hint">{words.more(more)}</span>}
    </>
  );
}

function Issues({ issues }: Pick<BulkRow, 'issues'>) {
  return (
    <ul className="row-issues">
      {issues.map(({ path, code, message, hint }) => (
        <li key={`${path} ${code} ${message}`}>
          {path !== '' && <code>{path}</code>} {message}
          {hint !== undefined && <span className="row-hint">{hint}</span>}
        </li>
      ))}
    </ul>
  );
}
