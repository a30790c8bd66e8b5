import { Button, Code, Stack, Text, Timeline, Title } from '@mantine/core';
import { IconCheck, IconClock, IconQuestionMark, IconSend, IconTrash, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { AttemptView, OrderDetail, UpdateSource, UpdateState, UpdateView } from '../../shared/api.ts';
import { formatDuration, formatTime, plural } from '../format.ts';
import { outcomeUnknown, states } from '../orders/state-badge.tsx';
import { ReviewActions } from '../review/review-actions.tsx';

export const sources: Readonly<Record<UpdateSource, string>> = {
  editor: 'Editor',
  bulk: 'Bulk file',
  burst: 'Burst',
  start: 'Start of the app',
  other: 'Another program',
};

/** How many updates are shown at first; one that needs review always is. */
const latestCount = 5;

const bullets: Readonly<Record<UpdateState, ReactNode>> = {
  queued: <IconClock size={12} />,
  sending: <IconSend size={12} />,
  applied: <IconCheck size={12} />,
  rejected: <IconX size={12} />,
  needs_review: <IconQuestionMark size={12} />,
  discarded: <IconTrash size={12} />,
};

/** The updates of an order, newest first, with their attempts. */
export function UpdateTimeline({ order }: { readonly order: OrderDetail }) {
  const [isWhole, setWhole] = useState(false);
  const shown = order.updates.filter(
    ({ state }, index) => isWhole || index < latestCount || state === 'needs_review',
  );
  return (
    <section aria-labelledby="updates">
      <Title order={2} size="h3" id="updates" mb="sm">
        Updates
      </Title>
      {order.updates.length === 0 && <Text c="dimmed">Nothing sent yet</Text>}
      <Timeline bulletSize={20} lineWidth={2} active={shown.length}>
        {shown.map((update) => (
          <Timeline.Item
            key={update.id}
            title={states[update.state].label}
            color={states[update.state].color}
            bullet={bullets[update.state]}
          >
            <UpdateDetails
              update={update}
              attempts={order.attempts.filter(({ updateId }) => updateId === update.id)}
            />
          </Timeline.Item>
        ))}
      </Timeline>
      {shown.length < order.updates.length && (
        <Button variant="default" size="xs" mt="md" onClick={() => setWhole(true)}>
          Show {plural(order.updates.length - shown.length, 'earlier update')}
        </Button>
      )}
    </section>
  );
}

function UpdateDetails({
  update,
  attempts,
}: {
  readonly update: UpdateView;
  readonly attempts: readonly AttemptView[];
}) {
  const { state, source, createdAt, settledAt, message, receipt, decision } = update;
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {sources[source]}, {formatTime(createdAt)}
      </Text>
      {attempts.map((attempt, index) => (
        <Text key={attempt.number} size="sm">
          Attempt {index + 1}: {describeAttempt(attempt)}
        </Text>
      ))}
      {state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
      {message && state !== 'applied' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }} lineClamp={6}>
          {message}
        </Text>
      )}
      {decision && (
        <Text size="sm">
          Decided {formatTime(decision.at)}
          {decision.note && `: ${decision.note}`}
        </Text>
      )}
      {settledAt && state === 'applied' && (
        <Text size="xs" c="dimmed">
          Applied {formatTime(settledAt)}
        </Text>
      )}
      <ReviewActions update={update} />
      {receipt !== undefined && receipt !== null && (
        <Text component="details" size="sm">
          <summary>Receipt</summary>
          <Code block>{JSON.stringify(receipt, null, 2)}</Code>
        </Text>
      )}
    </Stack>
  );
}

const outcomes = {
  applied: 'applied',
  rejected: 'rejected',
  not_sent: 'not sent',
  unknown: 'outcome unknown',
};

function describeAttempt({ endedAt, outcome, status, code, durationMs, retryAfterMs }: AttemptView): string {
  if (!endedAt) return 'waiting for the response';
  const parts = [
    outcome && outcomes[outcome],
    status ?? code,
    durationMs !== undefined && `after ${formatDuration(durationMs)}`,
    retryAfterMs !== undefined && `may be retried in ${formatDuration(retryAfterMs)}`,
  ];
  return parts.filter(Boolean).join(', ');
}
