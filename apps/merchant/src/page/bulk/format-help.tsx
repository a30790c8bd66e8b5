import './bulk.css';
import { Button } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { Code } from '../shell/code-block.tsx';
import { bulkWords } from '../words/bulk.ts';
import csvHref from './example.csv?url';
import ndjsonHref from './example.ndjson?url';

const { title, csv, ndjson } = bulkWords.formats;

const csvSample = `token,order_id,cart.items[0].quantity
tok_8f2a,A-1001,2
tok_77c1,A-1002,1`;

const ndjsonSample = `{"token": "tok_8f2a", "update": {"cart": {}}}
{"token": "tok_77c1", "update": {"cart": {}}}`;

/** How a file is written, with examples to begin from. */
export function FormatHelp() {
  return (
    <section className="bulk-section format" aria-labelledby="format-title">
      <h2 className="bulk-title" id="format-title">
        {title}
      </h2>
      <h3 className="format-name">{csv.name}</h3>
      <p className="format-text">{csv.text}</p>
      <Code text={csvSample} />
      <ul className="format-rules">
        {csv.rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      <h3 className="format-name">{ndjson.name}</h3>
      <p className="format-text">{ndjson.text}</p>
      <Code text={ndjsonSample} />
      <div className="bulk-buttons">
        <Download href={csvHref} name="updates.csv" label={csv.example} />
        <Download href={ndjsonHref} name="updates.ndjson" label={ndjson.example} />
      </div>
    </section>
  );
}

function Download({
  href,
  name,
  label,
}: {
  readonly href: string;
  readonly name: string;
  readonly label: string;
}) {
  return (
    <Button
      component="a"
      href={href}
      download={name}
      variant="default"
      size="xs"
      leftSection={<Icon name="download" size={14} />}
    >
      {label}
    </Button>
  );
}
