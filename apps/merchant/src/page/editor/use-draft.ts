import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OrderList, OrderView } from '../../contract/order-view.ts';
import { saveDraft } from '../api/drafts.ts';
import { createDraftKeeper, type DraftState } from '../form/draft-keeper.ts';
import type { OrderForm } from '../form/order-form.ts';
import type { EditedOrder } from './use-order-form.ts';

/** Has the desk keep what is typed, a moment after it was typed and when the page is left, and tells how that stands. */
export function useDraft(order: OrderView, { form, isDraft }: EditedOrder): DraftState {
  const client = useQueryClient();
  const { token } = order;
  const [isKept] = useState(order.draft !== null && order.draft !== undefined);
  const [state, setState] = useState<DraftState>({ kind: isDraft ? 'saved' : 'clean' });

  useEffect(() => {
    let isDirty = isDraft;
    const keeper = createDraftKeeper({
      isKept,
      read: () => (isDirty ? form.getValues() : null),
      tell: (next) =>
        setState((before) => (before.kind === next.kind && next.kind !== 'failed' ? before : next)),
      save: async (draft) => {
        note(draft);
        await saveDraft(token, draft);
      },
    });
    const stop = form.subscribe({
      formState: { values: true, isDirty: true },
      callback: (told) => {
        isDirty = told.isDirty ?? isDirty;
        keeper.note();
      },
    });
    // A draft that says the same as the order, or that this page cannot read, is of no use.
    if (isKept && !isDraft) keeper.note();
    const leave = () => document.visibilityState === 'hidden' && void keeper.flush();
    const hide = () => void keeper.flush();
    document.addEventListener('visibilitychange', leave);
    window.addEventListener('pagehide', hide);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      window.removeEventListener('pagehide', hide);
      stop();
      keeper.close();
    };

    /** Whoever comes back to the order, or looks at the list, finds the draft there before the desk was asked again. */
    function note(draft: OrderForm | null): void {
      const hasDraft = draft !== null;
      client.setQueryData<OrderView>(['order', token], (before) => before && { ...before, draft, hasDraft });
      client.setQueryData<OrderList>(
        ['orders'],
        (before) =>
          before && {
            orders: before.orders.map((one) => (one.token === token ? { ...one, hasDraft } : one)),
          },
      );
    }
  }, [client, form, isDraft, isKept, token]);

  return state;
}
