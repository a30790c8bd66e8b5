import type { Explanation } from '@orders/schema';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { OrderView } from '../../contract/order-view.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { fetchUpdate } from '../api/orders.ts';
import { DeskProblem } from '../api/request.ts';
import { noteUpdate } from '../live/fold-order.ts';
import { type LiveUpdate, readLiveUpdate } from '../live/fold-update.ts';
import { sendingWords } from '../words/sending.ts';
import { type HandOver, handOver } from './hand-over.ts';
import { makeId } from './make-id.ts';

/** What became of handing an update to the desk. */
type SubmitResult =
  | { readonly kind: 'accepted'; readonly id: string }
  /** The desk's own rules found something that the page's did not. */
  | { readonly kind: 'refused'; readonly issues: readonly Explanation[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Why an update did not get as far as the desk, or may not have. */
export type SubmitTrouble =
  | { readonly kind: 'refused' | 'lost' | 'not_taken' }
  | { readonly kind: 'failed'; readonly message: string };

/** How an order's updates are sent. */
export interface Sending {
  /** The newest update of the order, as it stands now. */
  readonly current: LiveUpdate | undefined;
  /** Earlier updates of the order that are still on their way. */
  readonly ahead: number;
  /** Whether an update is being handed to the desk. */
  readonly isSubmitting: boolean;
  /** Whether the desk's answer was lost and it is being asked again. */
  readonly isAskingAgain: boolean;
  /** What went wrong with the update handed over last; undefined when the desk has it. */
  readonly trouble: SubmitTrouble | undefined;
  /** Hands an update to the desk; while one is being handed over, it is that one's result. Never rejects. */
  submit(update: unknown): Promise<SubmitResult>;
}

interface Handed {
  readonly id: string;
  /** The update as JSON, to know the same again. */
  readonly text: string;
  readonly result: Exclude<HandOver, { readonly kind: 'accepted' }> | undefined;
}

/** Hands updates of one order to the desk and follows the newest. */
export function useSending(order: OrderView): Sending {
  const client = useQueryClient();
  const { token, updates, events } = order;
  const [handed, setHanded] = useState<Handed>();
  const [stage, setStage] = useState<'idle' | 'submitting' | 'asking_again'>('idle');
  const underWay = useRef<Promise<SubmitResult>>(undefined);

  const [newest, ...earlier] = updates;
  const current = useMemo(() => newest && readLiveUpdate(newest, events), [newest, events]);
  const isKnown = handed !== undefined && updates.some(({ id }) => id === handed.id);
  const isTaken = useIsTaken(handed?.result?.kind === 'lost' && !isKnown ? handed.id : undefined, note);

  function note(update: UpdateView): void {
    client.setQueryData<OrderView>(['order', token], (before) => before && noteUpdate(before, update));
  }

  async function submitNow(update: unknown): Promise<SubmitResult> {
    const text = JSON.stringify(update);
    // Whether the desk has the one before is not known: as the same update, it is accepted once at most.
    const id = handed?.result?.kind === 'lost' && handed.text === text ? handed.id : makeId();
    setHanded({ id, text, result: undefined });
    setStage('submitting');
    const result = await handOver({ token, id, update, onAskAgain: () => setStage('asking_again') });
    setStage('idle');
    if (result.kind === 'accepted') {
      note(result.update);
      return { kind: 'accepted', id };
    }
    setHanded({ id, text, result });
    return result.kind === 'lost' ? { kind: 'failed', message: sendingWords.lost.text } : result;
  }

  function submit(update: unknown): Promise<SubmitResult> {
    underWay.current ??= submitNow(update).finally(() => {
      underWay.current = undefined;
    });
    return underWay.current;
  }

  return {
    current,
    ahead: earlier.filter(({ state }) => state === 'queued' || state === 'sending').length,
    isSubmitting: stage !== 'idle',
    isAskingAgain: stage === 'asking_again',
    trouble: isKnown ? undefined : tellTrouble(handed?.result, isTaken),
    submit,
  };
}

function tellTrouble(result: Handed['result'], isTaken: boolean | undefined): SubmitTrouble | undefined {
  if (result?.kind === 'failed') return result;
  if (result?.kind === 'lost' && isTaken === false) return { kind: 'not_taken' };
  return result && { kind: result.kind };
}

/** Asks until the desk answers whether it took an update whose acceptance was lost. */
function useIsTaken(id: string | undefined, onTaken: (update: UpdateView) => void): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['taken', id],
    enabled: id !== undefined,
    retry: true,
    retryDelay: 2000,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      try {
        const { update } = await fetchUpdate(String(id), signal);
        onTaken(update);
        return true;
      } catch (problem) {
        if (problem instanceof DeskProblem && problem.status === 404) return false;
        throw problem;
      }
    },
  });
  return id === undefined ? undefined : data;
}
