import './editor.css';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { KnownOrder } from '../../contract/known-order.ts';
import { sendUpdate } from '../desk-api.ts';
import { DispatchDock } from '../dock/dispatch-dock.tsx';
import { fieldOf, toFieldError, type toFieldErrors } from '../form/field-issues.ts';
import { toForm } from '../form/order-form.ts';
import { orderResolver } from '../form/order-resolver.ts';
import { carriedNames } from '../form/to-order-update.ts';
import { CartLines } from './cart-lines.tsx';
import { HookFields } from './hook-fields.tsx';
import { moveToNextLine } from './move-to-next-line.ts';
import { OrderFields } from './order-fields.tsx';
import { OrderHead } from './order-head.tsx';

export interface OrderEditorProps {
  readonly order: KnownOrder;
  /** Called with the order as it was sent, and its outcome. */
  readonly onSent: (order: KnownOrder) => void;
  readonly onEdited: (token: string, isEdited: boolean) => void;
}

/** One order: its fields, judged as they are typed, and what became of it when it was sent. */
export function OrderEditor({ order, onSent, onEdited }: OrderEditorProps) {
  const { token } = order;
  // The first draft: later ones are made from what stands in this form.
  const [base] = useState(order.draft);
  const form = useForm({
    defaultValues: toForm(base),
    resolver: orderResolver(base),
    mode: 'onChange',
  });
  const { isDirty } = form.formState;

  useEffect(() => onEdited(token, isDirty), [token, isDirty, onEdited]);

  const send = form.handleSubmit(async (update) => {
    const sent = structuredClone(form.getValues());
    const report = await sendUpdate(token, update);
    if (report.ok) {
      form.reset(sent, { keepValues: true });
      // Whatever was typed while the update was under way counts as edited since.
      form.setValue('order_id', form.getValues('order_id'), { shouldDirty: true });
    }
    showIssues(report.error?.issues ?? []);
    onSent({ token, draft: update, report });
  });

  function showIssues(issues: Parameters<typeof toFieldErrors>[0]): void {
    issues.forEach((issue, index) => {
      const field = fieldOf(issue.path) ?? (`root.issue${index}` as const);
      form.setError(field, toFieldError(issue), { shouldFocus: index === 0 });
    });
  }

  function sendOnce(): void {
    if (!form.formState.isSubmitting) void send();
  }

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>): void {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    // Enter in a field must not send an order by accident; with Ctrl or Command it is meant.
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) sendOnce();
    else moveToNextLine(event.target, event.shiftKey ? -1 : 1);
  }

  return (
    <form
      className="editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        sendOnce();
      }}
      onKeyDown={onKeyDown}
    >
      <div className="editor-sheet">
        <OrderHead order={order} />
        <OrderFields control={form.control} carried={carriedNames(base)} />
        <CartLines control={form.control} />
        <HookFields control={form.control} />
      </div>
      <DispatchDock control={form.control} report={order.report} onShow={(field) => form.setFocus(field)} />
    </form>
  );
}
