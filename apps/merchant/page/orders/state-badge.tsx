import { Badge } from '@mantine/core';
import type { BulkRowState } from '../../shared/api.ts';

/** The states of updates, and of rows of a bulk file, in words and colours. */
export const states: Readonly<Record<BulkRowState, { readonly label: string; readonly color: string }>> = {
  invalid: { label: 'Invalid', color: 'red' },
  ready: { label: 'Ready', color: 'gray' },
  locked: { label: 'Locked', color: 'orange' },
  queued: { label: 'Queued', color: 'gray' },
  waiting: { label: 'Waits for you', color: 'orange' },
  sending: { label: 'Sending', color: 'blue' },
  applied: { label: 'Applied', color: 'green' },
  rejected: { label: 'Rejected', color: 'red' },
  needs_review: { label: 'Needs review', color: 'orange' },
  discarded: { label: 'Discarded', color: 'gray' },
};

export const outcomeUnknown = "Outcome unknown: it was sent, but we don't know whether it was applied";

export function StateBadge({ state }: { readonly state: BulkRowState }) {
  const { label, color } = states[state];
  return (
    <Badge variant="light" color={color} w="max-content">
      {label}
    </Badge>
  );
}
