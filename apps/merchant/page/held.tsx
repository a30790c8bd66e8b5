import { Text } from '@mantine/core';
import type { HeldView, UpdateView } from './api.ts';
import { formatTime } from './format.ts';

/** What a queued update waits for, in the words of the person who reads it. */
export const heldTexts: Readonly<Record<HeldView['reason'], string>> = {
  behind_review: 'Waits for your decision about an earlier update of this order',
  behind_earlier: 'Waits for an earlier update of this order',
  backlog: 'Waits for its turn',
  rate_limited: 'Waits for the rate limit',
  backing_off: 'Waits for the next attempt',
  paused: 'Waits for the end of a pause: the order service limits the rate (429)',
  service_unavailable: 'Waits for the order service, which is unavailable',
  key_refused: 'Waits for an API key that the order service accepts',
  no_worker: 'Waits for a process that sends updates: none is running',
  locked_by_caller: 'Waits for another program, which holds this order in the database',
  claim_expired: 'Waits for the next attempt: getting the API key or a connection took over 3 s',
  unreadable: 'Cannot be read: its row in the database was changed by hand',
  database_unusable: 'Waits for the database, which cannot be used',
  stalled: 'Not being sent, for a reason that is not known: see the log of the server',
};

/** What somebody has to look into, beside a decision and the state of the order service. */
const problems: readonly HeldView['reason'][] = [
  'no_worker',
  'locked_by_caller',
  'claim_expired',
  'unreadable',
  'database_unusable',
  'stalled',
];

export const isProblem = ({ reason }: HeldView): boolean => problems.includes(reason);

/** The link to the decision that an update waits for, where its state is beside it. */
export const decideText = 'Decide about an earlier update';

/** What a queued update waits for; the update that needs review first is on the same page. */
export function Held({
  heldBy: { reason, until },
  review,
  isShort = false,
}: {
  readonly heldBy: HeldView;
  readonly review: UpdateView | undefined;
  /** The text beside it names the update that needs review. */
  readonly isShort?: boolean;
}) {
  if (reason === 'behind_review' && review) {
    return (
      <Text
        component="a"
        href={`#update-${review.id}`}
        size="sm"
        c="var(--mantine-color-anchor)"
        td="underline"
      >
        Waits for your decision{!isShort && ` about the update of ${formatTime(review.createdAt)}`}
      </Text>
    );
  }
  return (
    <Text size="sm" span>
      {heldTexts[reason]}
      {until && `, until ${formatTime(until)}`}
    </Text>
  );
}
