import { Anchor, Button, Group, Loader, Paper, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import type { OrderDetail, UpdateView } from '../api.ts';
import { formatTime, plural } from '../format.ts';
import { Held } from '../held.tsx';
import { outcomeUnknown, StateBadge } from '../orders/state-badge.tsx';
import { ReviewActions } from '../review/review-actions.tsx';
import { findReview } from './update-timeline.tsx';

export interface SendBarProps {
  readonly order: OrderDetail;
  /** Whether the form holds something else than the order. */
  readonly isChanged: boolean;
  /** Whether the form holds what was sent last. */
  readonly isSent: boolean;
  readonly errorCount: number;
  /** The update that was sent last from this form. */
  readonly sent: UpdateView | undefined;
  readonly isSending: boolean;
  /** Why the update was not accepted. */
  readonly failure: string;
  readonly onDiscard: () => void;
}

/** Sends what is typed, and says what became of it. */
export function SendBar(props: SendBarProps) {
  const { order, isChanged, isSent, errorCount, sent, isSending, failure, onDiscard } = props;
  const shown = isSent || !isChanged ? sent : undefined;
  const review = findReview(order);
  // A person is no machine that is busy.
  const isForPerson = shown?.heldBy?.reason === 'behind_review';
  const isWaiting = isSending || (shown?.state === 'queued' && !isForPerson) || shown?.state === 'sending';
  const wasRefused = shown?.state === 'rejected' || shown?.state === 'discarded';
  const problem = [errorCount > 0 && `Fix ${plural(errorCount, 'field')}`, isSent && failure]
    .filter(Boolean)
    .join('. ');
  let text = shown ? describeUpdate(shown) : isChanged ? 'Changed, not sent' : 'No changes';
  if (problem) text = problem;
  else if (isSending) text = '';

  return (
    <Paper withBorder shadow="md" p="sm" className="send-bar">
      {review && (
        <Group justify="space-between" gap="xs" mb="sm">
          <Text size="sm" flex="1 1 14rem">
            Your decision about the{' '}
            <Anchor href={`#update-${review.id}`} size="sm" underline="always">
              update of {formatTime(review.createdAt)}
            </Anchor>
            . {outcomeUnknown}.
          </Text>
          <ReviewActions key={review.id} update={review} focusId="send-status" />
        </Group>
      )}
      <Group justify="space-between" gap="sm">
        <Group gap="xs" flex="1 1 9rem" wrap="nowrap">
          {isWaiting && <Loader size="xs" aria-hidden />}
          <Group
            id="send-status"
            tabIndex={-1}
            gap={6}
            role="status"
            fz="sm"
            fw={500}
            {...(problem && { c: 'var(--mantine-color-error)' })}
          >
            {!problem && isSending && 'Sending'}
            {!problem && !isSending && shown && <StateBadge state={shown.state} />}
            {text}
            {!text && !problem && !isSending && shown?.heldBy && (
              <Held heldBy={shown.heldBy} review={review} isShort />
            )}
          </Group>
        </Group>
        <Group gap="xs" ml="auto">
          {isChanged && (!shown || wasRefused) && (
            <Button variant="subtle" color="gray" onClick={onDiscard}>
              Discard changes
            </Button>
          )}
          <Button
            type="submit"
            leftSection={<IconSend size={16} aria-hidden />}
            disabled={isSending}
            // The second click of a double click is no second update.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            Send update
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}

/** What the state of the update does not say by itself. */
function describeUpdate({ state, message, code }: UpdateView): string {
  if (state === 'needs_review') return outcomeUnknown;
  return state === 'rejected' ? (message ?? code ?? '') : '';
}
