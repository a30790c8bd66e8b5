import { Anchor, Button, Card, Code, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  api,
  parseResponse,
  queryClient,
  reviewQuery,
  statusQuery,
  type UpdateView,
  updateQuery,
  type WebhookView,
} from '../api.ts';
import { ErrorAlert } from '../errors.tsx';
import { formatTime, plural } from '../format.ts';
import { sources } from '../orders/sources.ts';
import { outcomeUnknown, StateBadge } from '../orders/state-badge.tsx';
import { Pager, usePages } from '../pager.tsx';
import { ViewTitle } from '../view-title.tsx';
import { ReviewActions } from './review-actions.tsx';

/** Updates and webhooks that wait for a decision. */
export function ReviewPage() {
  const { data: status } = useQuery(statusQuery);
  const { needsReview = 0, rejected = 0 } = status?.updates ?? {};
  const webhooks = status?.webhooks ?? [];
  return (
    <Stack>
      <ViewTitle>Needs review</ViewTitle>
      {!status && <Skeleton height={200} />}
      {status && needsReview + rejected + webhooks.length === 0 && (
        <EmptyState icon={<IconCircleCheck aria-hidden />} title="Nothing needs review">
          Updates whose outcome is unknown, rejected ones, and webhooks that could not be handled wait here
          for your decision.
        </EmptyState>
      )}
      {needsReview > 0 && (
        <Section
          state="needs_review"
          title={`${plural(needsReview, 'outcome')} unknown`}
          text="Look the order up at the order service if you can, then choose. Later updates of the order wait for you."
        />
      )}
      {rejected > 0 && (
        <Section
          state="rejected"
          title={`${rejected.toLocaleString('en')} rejected`}
          text="These were not applied. Later updates of their orders were sent."
        />
      )}
      {webhooks.length > 0 && (
        <Stack component="section" gap="sm">
          <SectionTitle
            title={`${plural(webhooks.length, 'webhook')} not handled`}
            text="The session of a QR payment could not be put into an update. Later webhooks of the order wait for you."
          />
          {webhooks.map((event) => (
            <WebhookCard key={event.id} event={event} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

interface SectionProps {
  readonly state: 'needs_review' | 'rejected';
  readonly title: string;
  readonly text: string;
}

function Section({ state, title, text }: SectionProps) {
  const pages = usePages();
  const { data, error } = useQuery(reviewQuery(state, pages.start));
  return (
    <Stack component="section" gap="sm">
      <SectionTitle title={title} text={text} />
      <ErrorAlert error={error} />
      {data?.updates.map((update) => (
        <ReviewCard key={update.id} update={update} />
      ))}
      <Pager pages={pages} next={data?.next} />
    </Stack>
  );
}

function SectionTitle({ title, text }: Omit<SectionProps, 'state'>) {
  return (
    <div>
      <Title order={2} size="h3">
        {title}
      </Title>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </div>
  );
}

function ReviewCard({ update }: { readonly update: UpdateView }) {
  const { id, token, orderId, state, source, createdAt, message } = update;
  return (
    <Card withBorder component="article" aria-label={`Update of ${token}`}>
      <Group gap="xs" mb={4}>
        <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} fw={600}>
          {orderId ?? token}
        </Anchor>
        <StateBadge state={state} />
        <Text size="xs" c="dimmed">
          {orderId !== null && `${token}, `}
          {sources[source]}, {formatTime(createdAt)}
        </Text>
      </Group>
      {state === 'needs_review' && <Text size="sm">{outcomeUnknown}.</Text>}
      <Text size="sm" c="dimmed" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <SentBody id={id} />
      <ReviewActions update={update} focusId="view-title" />
    </Card>
  );
}

function WebhookCard({ event: { id, token, receivedAt, message } }: { readonly event: WebhookView }) {
  const decide = useMutation({
    mutationFn: (decision: 'retry' | 'discard') =>
      parseResponse(api.webhooks[':id'][decision].$post({ param: { id } })),
    onSuccess: () => document.getElementById('view-title')?.focus(),
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <Card withBorder component="article" aria-label={`Webhook of ${token}`}>
      <Group gap="xs" mb={4}>
        <Anchor component={Link} href={`/orders/${encodeURIComponent(token)}`} fw={600}>
          {token}
        </Anchor>
        <Text size="xs" c="dimmed">
          Scanned {formatTime(receivedAt)}
        </Text>
      </Group>
      <Text size="sm" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={() => decide.mutate('retry')}>
          Try again
        </Button>
        <Button size="xs" variant="default" onClick={() => decide.mutate('discard')}>
          Discard
        </Button>
      </Group>
      <ErrorAlert error={decide.error} />
    </Card>
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
