import './bulk.css';
import { Button } from '@mantine/core';
import { resultHref } from '../api/bulks.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';

const words = bulkWords.result;

/** The result file, as it stands now. */
export function ResultLinks({ id }: { readonly id: string }) {
  return (
    <div className="result">
      <div className="bulk-buttons">
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            component="a"
            href={resultHref(id, format)}
            download
            variant="default"
            leftSection={<Icon name="download" />}
          >
            {words[format]}
          </Button>
        ))}
      </div>
      <p className="bulk-help">{words.help}</p>
    </div>
  );
}
