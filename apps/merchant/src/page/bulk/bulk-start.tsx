import './bulk.css';
import { readSendsThrough } from '../sends-through.ts';
import { bulkWords as words } from '../words/bulk.ts';
import { DropZone } from './drop-zone.tsx';
import { EarlierFiles } from './earlier-files.tsx';
import { FormatHelp } from './format-help.tsx';

/** Where a file is dropped, how it is written, and the files dropped before. */
export function BulkStart() {
  return (
    <>
      <header className="bulk-intro">
        <h1 className="bulk-name">{words.title}</h1>
        <p className="bulk-help">{words.help}</p>
        {readSendsThrough() === 'outbox' && <p className="bulk-help">{words.beside}</p>}
      </header>
      <div className="bulk-columns">
        <div className="bulk-column">
          <DropZone />
          <EarlierFiles />
        </div>
        <FormatHelp />
      </div>
    </>
  );
}
