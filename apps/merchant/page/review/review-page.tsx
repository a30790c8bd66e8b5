import { Anchor, Card, Code, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { reviewQuery, statusQuery, type UpdateView, updateQuery } from '../api.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { formatTime, plural } from '../format.ts';
import { sources } from '../orders/sources.ts';
import { outcomeUnknown, StateBadge } from '../orders/state-badge.tsx';
import { Pager, usePages } from '../pager.tsx';
import { ReviewActions } from './review-actions.tsx';

/** Updates that wait for a decision. */
export function ReviewPage() {
  const unknownPages = usePages();
  const rejectedPages = usePages();
  const unknown = useQuery(reviewQuery('needs_review', unknownPages.start));
  const rejected = useQuery(reviewQuery('rejected', rejectedPages.start));
  const { data: status } = useQuery(statusQuery);
  const error = unknown.error ?? rejected.error;
  const isLoaded = unknown.data !== undefined && rejected.data !== undefined;
  const counts = [unknown.data?.updates.length ?? 0, rejected.data?.updates.length ?? 0] as const;
  return (
    <Stack>
      <Title order={1} size="h2">
        Needs review
      </Title>
      <ErrorAlert error={error} />
      {!isLoaded && !error && <Skeleton height={200} />}
      {isLoaded && counts[0] + counts[1] === 0 && unknownPages.number + rejectedPages.number === 2 && (
        <EmptyState icon={<IconCircleCheck aria-hidden />} title="Nothing needs review">
          Updates whose outcome is unknown, and rejected ones, wait here for your decision.
        </EmptyState>
      )}
      {(counts[0] > 0 || unknownPages.number > 1) && (
        <Section
          title={`${plural(status?.updates.needsReview ?? counts[0], 'outcome')} unknown`}
          text="Look the order up at the order service if you can, then choose. Later updates of the order wait for you."
          updates={unknown.data?.updates ?? []}
        />
      )}
      <Pager pages={unknownPages} next={unknown.data?.next} />
      {(counts[1] > 0 || rejectedPages.number > 1) && (
        <Section
          title={`${(status?.updates.rejected ?? counts[1]).toLocaleString('en')} rejected`}
          text="These were not applied. Later updates of their orders were sent."
          updates={rejected.data?.updates ?? []}
        />
      )}
      <Pager pages={rejectedPages} next={rejected.data?.next} />
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly text: string;
  readonly updates: readonly UpdateView[];
}

function Section({ title, text, updates }: SectionProps) {
  return (
    <Stack component="section" gap="sm">
      <div>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      {updates.map((update) => (
        <Card key={update.id} withBorder component="article" aria-label={`Update of ${update.token}`}>
          <Group gap="xs" mb={4}>
            <Anchor component={Link} href={`/orders/${encodeURIComponent(update.token)}`} fw={600}>
              {update.orderId ?? update.token}
            </Anchor>
            <StateBadge state={update.state} />
            <Text size="xs" c="dimmed">
              {update.orderId !== null && `${update.token}, `}
              {sources[update.source]}, {formatTime(update.createdAt)}
            </Text>
          </Group>
          {update.state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
          <Text size="sm" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
            {update.message}
          </Text>
          <ReviewActions update={update} />
          <SentBody id={update.id} />
        </Card>
      ))}
    </Stack>
  );
}

/** The body of an update, which is read when it is opened. */
function SentBody({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...updateQuery(id), enabled: isOpen });
  return (
    <Text
      component="details"
      size="sm"
      mt="xs"
      onToggle={(event: React.SyntheticEvent<HTMLDetailsElement>) => setOpen(event.currentTarget.open)}
    >
      <summary>What was sent</summary>
      <ErrorAlert error={error} />
      {data && <Code block>{JSON.stringify(data.update, null, 2)}</Code>}
    </Text>
  );
}
