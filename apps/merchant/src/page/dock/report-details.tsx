import './dock.css';
import { Button, CopyButton } from '@mantine/core';
import type { UpdateReport } from '../../contract/update-report.ts';
import { Icon } from '../icon.tsx';
import { words } from '../words.ts';

/** What support would ask for: the receipt to copy, and what the order service said. */
export function ReportDetails({ report }: { readonly report: UpdateReport }) {
  const { error, data, receipt } = report;
  const answer = error?.answer === undefined ? data : readJson(error.answer);
  return (
    <div className="dock-details">
      {(error || answer !== undefined) && (
        <div className="dock-blocks">
          {error && (
            <Block title={words.dock.problem}>
              <p>{error.message}</p>
            </Block>
          )}
          {answer !== undefined && (
            <Block title={words.dock.answer}>
              <Code text={typeof answer === 'string' ? answer : format(answer)} />
            </Block>
          )}
        </div>
      )}
      {receipt !== undefined && (
        <Block title={words.dock.receipt} aside={<CopyReceipt text={format(receipt)} />}>
          <Code text={format(receipt)} />
        </Block>
      )}
    </div>
  );
}

function Code({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  return <pre tabIndex={0}>{text}</pre>;
}

interface BlockProps {
  readonly title: string;
  readonly aside?: React.ReactNode;
  readonly children: React.ReactNode;
}

function Block({ title, aside, children }: BlockProps) {
  return (
    <div className="dock-block">
      <div className="dock-block-head">
        <h3>{title}</h3>
        {aside}
      </div>
      {children}
    </div>
  );
}

function CopyReceipt({ text }: { readonly text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={copy}
        >
          {copied ? words.dock.copied : words.dock.copy}
        </Button>
      )}
    </CopyButton>
  );
}

function format(data: unknown): string {
  return JSON.stringify(data, null, 2);
}

/** The answer of a refusal is text of any kind; JSON is easier to read set out. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
