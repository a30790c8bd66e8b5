import { Alert, Anchor, Card, Code, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { UpdateView } from '../../shared/api.ts';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { describeError, reviewQuery } from '../api.ts';
import { sources } from '../editor/update-timeline.tsx';
import { formatTime, plural } from '../format.ts';
import { outcomeUnknown, StateBadge } from '../orders/state-badge.tsx';
import { ReviewActions } from './review-actions.tsx';

/** Updates that wait for a decision. */
export function ReviewPage() {
  const { data: updates, error } = useQuery(reviewQuery);
  const unknown = updates?.filter(({ state }) => state === 'needs_review') ?? [];
  const rejected = updates?.filter(({ state }) => state === 'rejected') ?? [];
  return (
    <Stack>
      <Title order={1} size="h2">
        Needs review
      </Title>
      {error && <Alert color="red">{describeError(error).message}</Alert>}
      {!updates && !error && <Skeleton height={200} />}
      {updates?.length === 0 && (
        <EmptyState icon={<IconCircleCheck aria-hidden />} title="Nothing needs review">
          Updates whose outcome is unknown, and rejected ones, wait here for your decision.
        </EmptyState>
      )}
      {unknown.length > 0 && (
        <Section
          title={`${plural(unknown.length, 'outcome')} unknown`}
          text="Look the order up at the order service if you can, then choose. Later updates of the order wait for you."
          updates={unknown}
        />
      )}
      {rejected.length > 0 && (
        <Section
          title={`${rejected.length} rejected`}
          text="These were not applied. Later updates of their orders were sent."
          updates={rejected}
        />
      )}
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
              {orderNumber(update) ?? update.token}
            </Anchor>
            <StateBadge state={update.state} />
            <Text size="xs" c="dimmed">
              {orderNumber(update) && `${update.token}, `}
              {sources[update.source]}, {formatTime(update.createdAt)}
            </Text>
          </Group>
          {update.state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
          <Text size="sm" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
            {update.message}
          </Text>
          <ReviewActions update={update} />
          {update.update !== undefined && (
            <Text component="details" size="sm" mt="xs">
              <summary>What was sent</summary>
              <Code block>{JSON.stringify(update.update, null, 2)}</Code>
            </Text>
          )}
        </Card>
      ))}
    </Stack>
  );
}

const orderNumber = ({ update }: UpdateView): string | undefined =>
  (update as Partial<ShopUpdate> | undefined)?.order_id;
