import { Button, CopyButton } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { shellWords } from '../words/shell.ts';

/** A button that copies a text, and says so. */
export function CopyText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={copy}
        >
          {copied ? shellWords.copied : label}
        </Button>
      )}
    </CopyButton>
  );
}
