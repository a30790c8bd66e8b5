import { Badge, Group, Progress, Text } from '@mantine/core';
import type { BulkRowState, BulkView } from '../../shared/api.ts';
import { plural } from '../format.ts';
import { states } from '../orders/state-badge.tsx';

const bulkStates: Readonly<Record<BulkView['state'], { readonly label: string; readonly color: string }>> = {
  ready: { label: 'Not sent yet', color: 'gray' },
  sending: { label: 'Sending', color: 'blue' },
  done: { label: 'Done', color: 'green' },
  discarded: { label: 'Discarded', color: 'gray' },
};

export function BulkStateBadge({ bulk: { state } }: { readonly bulk: BulkView }) {
  const { label, color } = bulkStates[state];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

const order: readonly BulkRowState[] = [
  'applied',
  'needs_review',
  'rejected',
  'sending',
  'invalid',
  'discarded',
  'queued',
  'ready',
];

/** How many rows of a file are in each state. */
export function BulkProgress({ bulk: { rows, counts } }: { readonly bulk: BulkView }) {
  const present = order.filter((state) => counts[state] > 0);
  const open = counts.queued + counts.sending;
  return (
    <div>
      <Progress.Root size="lg" aria-hidden>
        {present.map((state) => (
          <Progress.Section
            key={state}
            value={(counts[state] / rows) * 100}
            color={states[state].color === 'gray' ? 'gray.5' : states[state].color}
            withAria={false}
          />
        ))}
      </Progress.Root>
      <Group gap="md" mt="xs">
        {present.map((state) => (
          <Text key={state} size="sm">
            {states[state].label}: {counts[state].toLocaleString('en')}
          </Text>
        ))}
      </Group>
      <Text size="sm" role="status" c="dimmed">
        {open > 0 ? `${plural(open, 'update')} left` : ''}
      </Text>
    </div>
  );
}
