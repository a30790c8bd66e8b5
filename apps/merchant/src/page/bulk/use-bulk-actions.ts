import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { BulkList } from '../../contract/bulk-view.ts';
import type { Decision } from '../../contract/update-view.ts';
import { decideBulk, pauseBulk, removeBulk, startBulk } from '../api/bulks.ts';

/** What a person asks the desk to do with a bulk. */
type BulkAction = 'start' | 'pause' | 'remove' | Decision;

export interface BulkActions {
  act(action: BulkAction): void;
  /** What the desk has been asked to do and has not answered. */
  readonly pending: BulkAction | undefined;
  /** Why it did not do it, for the person who asked. */
  readonly problem: string | undefined;
}

/** Asks the desk, one thing after another; how the bulk stands then is told by the desk's events. */
export function useBulkActions(id: string): BulkActions {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, variables, isPending, error } = useMutation({
    mutationFn: (action: BulkAction) => ask(id, action),
    onSuccess: async (_, action) => {
      if (action !== 'remove') return client.invalidateQueries({ queryKey: ['bulk', id] });
      client.setQueryData<BulkList>(
        ['bulks'],
        (before) => before && { bulks: before.bulks.filter((bulk) => bulk.id !== id) },
      );
      navigate('/bulk');
      client.removeQueries({ queryKey: ['bulk', id] });
      client.removeQueries({ queryKey: ['bulk-rows', id] });
    },
    // What the page shows may be what the desk refused to act on.
    onError: () => client.invalidateQueries({ queryKey: ['bulk', id] }),
  });
  return { act: mutate, pending: isPending ? variables : undefined, problem: error?.message };
}

function ask(id: string, action: BulkAction): Promise<unknown> {
  if (action === 'start') return startBulk(id);
  if (action === 'pause') return pauseBulk(id);
  return action === 'remove' ? removeBulk(id) : decideBulk(id, action);
}
