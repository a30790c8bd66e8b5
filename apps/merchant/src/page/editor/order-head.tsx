import './editor.css';
import { ActionIcon, Button, CopyButton } from '@mantine/core';
import { useFormState } from 'react-hook-form';
import type { OrderView } from '../../contract/order-view.ts';
import type { DraftState as Draft } from '../form/draft-keeper.ts';
import type { OrderControl } from '../form/order-control.ts';
import { Icon } from '../icon.tsx';
import { orderTitle } from '../orders/order-title.ts';
import { editorWords } from '../words/editor.ts';
import { orderWords } from '../words/orders.ts';
import { pasteWords } from '../words/paste.ts';
import { shellWords } from '../words/shell.ts';
import { DraftState } from './draft-state.tsx';
import { ShortcutsHelp } from './shortcuts-help.tsx';

export interface OrderHeadProps {
  readonly order: OrderView;
  readonly control: OrderControl;
  readonly draft: Draft;
  readonly onPaste: () => void;
  readonly onDiscard: () => void;
}

/** What the order is called, the token by which the order service knows it, and what can be done with the whole form. */
export function OrderHead({ order, control, draft, onPaste, onDiscard }: OrderHeadProps) {
  const { isDirty } = useFormState({ control });
  return (
    <header className="editor-head">
      <div className="editor-head-names">
        <h1 className="editor-head-title">{orderTitle(order)}</h1>
        <p className="editor-token">
          <span>{orderWords.token}</span>
          <code>{order.token}</code>
          <CopyButton value={order.token}>
            {({ copied, copy }) => (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                onClick={copy}
                aria-label={copied ? shellWords.copied : orderWords.copyToken}
              >
                <Icon name={copied ? 'check' : 'copy'} size={14} />
              </ActionIcon>
            )}
          </CopyButton>
        </p>
      </div>
      <div className="editor-head-actions">
        <Button variant="default" size="sm" leftSection={<Icon name="file" />} onClick={onPaste}>
          {pasteWords.open}
        </Button>
        <Button
          variant="default"
          size="sm"
          aria-disabled={!isDirty || undefined}
          onClick={() => isDirty && onDiscard()}
        >
          {editorWords.draft.discard}
        </Button>
        <ShortcutsHelp />
        <DraftState state={draft} />
      </div>
    </header>
  );
}
