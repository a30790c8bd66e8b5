import { Anchor, Badge, Group, Progress, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { BulkRowState } from '../../shared/api.ts';
import type { BulkSummary, BulkView } from '../api.ts';
import { plural } from '../format.ts';
import { heldTexts } from '../held.tsx';
import { states } from '../orders/state-badge.tsx';

const bulkStates: Readonly<Record<BulkSummary['state'], { readonly label: string; readonly color: string }>> =
  {
    ready: { label: 'Not sent yet', color: 'gray' },
    sending: { label: 'Sending', color: 'blue' },
    waiting: { label: 'Waits for you', color: 'orange' },
    done: { label: 'Done', color: 'green' },
    stopped: { label: 'Stopped, some sent', color: 'gray' },
    discarded: { label: 'Discarded', color: 'gray' },
  };

export function BulkStateBadge({ bulk: { state } }: { readonly bulk: BulkSummary }) {
  const { label, color } = bulkStates[state];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

/** Where the color of the state is too faint, or that of another one. */
const sectionColors: Readonly<Partial<Record<BulkRowState, string>>> = {
  waiting: 'orange.3',
  locked: 'orange.3',
  discarded: 'gray.5',
  queued: 'gray.5',
  ready: 'gray.5',
};

/** How many rows of a file are in each state. */
export function BulkProgress({ bulk: { rows, counts } }: { readonly bulk: BulkView }) {
  const present = (Object.keys(counts) as BulkRowState[]).filter((state) => counts[state] > 0);
  const open = counts.queued + counts.sending;
  const { waiting, locked, needs_review: unknown } = counts;
  return (
    <div>
      <Progress.Root size="lg" aria-hidden>
        {present.map((state) => (
          <Progress.Section
            key={state}
            value={(counts[state] / rows) * 100}
            color={sectionColors[state] ?? states[state].color}
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
      {locked > 0 && (
        <Text size="sm">
          {plural(locked, 'row')}: {heldTexts.locked_by_caller}
        </Text>
      )}
      {(waiting > 0 || unknown > 0) && (
        <Anchor component={Link} href="/review" size="sm">
          {describeDecision(waiting, unknown)}
        </Anchor>
      )}
    </div>
  );
}

/** What is held up until a person decides, and about what. */
function describeDecision(waiting: number, unknown: number): string {
  const about = unknown > 0 ? `${plural(unknown, 'unknown outcome')}` : 'earlier updates of their orders';
  if (waiting === 0) return `Your decision is needed about ${about}`;
  return `${plural(waiting, 'update')} ${waiting === 1 ? 'waits' : 'wait'} for your decision about ${about}`;
}
