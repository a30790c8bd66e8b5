import { Button, Code, Stack, Text, Timeline, Title } from '@mantine/core';
import { IconCheck, IconClock, IconQuestionMark, IconSend, IconTrash, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { historyLimits } from '../../shared/limits.ts';
import type { OrderDetail, UpdateState, UpdateView } from '../api.ts';
import { formatTime, plural } from '../format.ts';
import { Held } from '../held.tsx';
import { sources } from '../orders/sources.ts';
import { outcomeUnknown, states } from '../orders/state-badge.tsx';
import { ReviewActions } from '../review/review-actions.tsx';

const bullets: Readonly<Record<UpdateState, ReactNode>> = {
  queued: <IconClock size={12} />,
  sending: <IconSend size={12} />,
  applied: <IconCheck size={12} />,
  rejected: <IconX size={12} />,
  needs_review: <IconQuestionMark size={12} />,
  discarded: <IconTrash size={12} />,
};

interface UpdateTimelineProps {
  readonly order: OrderDetail;
  /** No earlier updates can be read. */
  readonly isWhole: boolean;
  readonly onMore: () => void;
}

/** The updates of an order, newest first. */
export function UpdateTimeline({ order, isWhole, onMore }: UpdateTimelineProps) {
  const review = findReview(order);
  return (
    <section aria-labelledby="updates">
      <Title order={2} size="h3" id="updates" mb="sm">
        Updates
      </Title>
      {order.updates.length === 0 && <Text c="dimmed">Nothing sent yet</Text>}
      <Timeline bulletSize={20} lineWidth={2} active={order.updates.length}>
        {order.updates.map((update) => (
          <Timeline.Item
            key={update.id}
            id={`update-${update.id}`}
            title={states[update.state].label}
            color={states[update.state].color}
            bullet={bullets[update.state]}
          >
            <UpdateDetails update={update} review={review} />
          </Timeline.Item>
        ))}
      </Timeline>
      {!isWhole && (
        <Button variant="default" size="xs" mt="md" onClick={onMore}>
          Show earlier updates
        </Button>
      )}
      {isWhole && order.updates.length >= historyLimits.most && (
        <Text size="sm" c="dimmed" mt="md">
          The latest {historyLimits.most} updates are shown. The command orders outbox history shows them all.
        </Text>
      )}
    </section>
  );
}

/** The update that the others of an order wait for. */
export const findReview = ({ updates }: OrderDetail): UpdateView | undefined =>
  updates.findLast(({ state }) => state === 'needs_review');

function UpdateDetails({
  update,
  review,
}: {
  readonly update: UpdateView;
  readonly review: UpdateView | undefined;
}) {
  const { state, source, createdAt, settledAt, attempts, status, message, receipt, decision, heldBy } =
    update;
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {sources[source]}, {formatTime(createdAt)}
      </Text>
      {attempts > 0 && (
        <Text size="sm">
          {plural(attempts, 'attempt')}
          {status !== undefined && `, last response ${status}`}
        </Text>
      )}
      {state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
      {state === 'queued' && heldBy && <Held heldBy={heldBy} review={review} />}
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
      {/* The decision that the order waits for is beside the button that sends. */}
      {update.id !== review?.id && <ReviewActions update={update} focusId="send-status" />}
      {receipt && (
        <Text component="details" size="sm">
          <summary>Receipt</summary>
          <Code block>{JSON.stringify(receipt, null, 2)}</Code>
        </Text>
      )}
    </Stack>
  );
}
