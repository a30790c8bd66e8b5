import './editor.css';
import { ActionIcon, CopyButton } from '@mantine/core';
import type { KnownOrder } from '../../contract/known-order.ts';
import { Icon } from '../icon.tsx';
import { orderTitle } from '../orders/order-title.ts';
import { words } from '../words.ts';

/** What the order is called, and the token by which the order service knows it. */
export function OrderHead({ order }: { readonly order: KnownOrder }) {
  return (
    <div className="editor-head">
      <h1 className="editor-head-title">{orderTitle(order)}</h1>
      <p className="editor-token">
        <span>{words.orders.token}</span>
        <code>{order.token}</code>
        <CopyButton value={order.token}>
          {({ copied, copy }) => (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={copied ? words.dock.copied : words.orders.copyToken}
            >
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            </ActionIcon>
          )}
        </CopyButton>
      </p>
    </div>
  );
}
