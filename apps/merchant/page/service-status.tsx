import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, parseResponse, type StatusView } from './api.ts';
import { ErrorAlert } from './errors.tsx';
import { scenarioLabels } from './fault-injection/api.ts';
import { plural } from './format.ts';
import { heldTexts, isProblem } from './held.tsx';

const texts = {
  ok: { badge: 'Healthy', color: 'green', title: '' },
  paused: { badge: 'Paused', color: 'orange', title: 'The order service limits the rate (429)' },
  service_unavailable: {
    badge: 'Unavailable',
    color: 'red',
    title: 'The order service is unavailable',
  },
  key_refused: { badge: 'Key refused', color: 'red', title: 'The order service refuses the API key' },
} as const;

const stateOf = ({ service, pausedUntil }: StatusView): keyof typeof texts =>
  service.state === 'ok' && pausedUntil ? 'paused' : service.state;

/** The state of the order service, in a word; while it is made to fail, it is not healthy. */
export function ServiceBadge({ status }: { readonly status: StatusView }) {
  const state = stateOf(status);
  const { faultInjection = 'healthy' } = status;
  const fault = state === 'ok' && faultInjection !== 'healthy' ? scenarioLabels[faultInjection] : undefined;
  const { badge, color } = fault === undefined ? texts[state] : { badge: 'Fault', color: 'orange' };
  return (
    <Badge
      variant="light"
      color={color}
      role="status"
      aria-label={`Order service: ${badge}${fault === undefined ? '' : `: ${fault}`}`}
    >
      {badge}
      {fault !== undefined && (
        <Text span inherit visibleFrom="xs">
          : {fault}
        </Text>
      )}
    </Badge>
  );
}

/** Says what else somebody has to look into. */
export function HeldAlert({ status }: { readonly status: StatusView }) {
  const held = status.held.filter(isProblem);
  if (held.length === 0) return null;
  return (
    <Alert color="orange" title="Updates are held up" mb="md" role="alert">
      {held.map(({ reason, updates }) => (
        <div key={reason}>
          {plural(updates, 'update')}: {heldTexts[reason].toLowerCase().replace('api', 'API')}.
        </div>
      ))}
    </Alert>
  );
}

/** Says why updates wait, and until when. */
export function ServiceAlert({ status }: { readonly status: StatusView }) {
  const resume = useMutation({
    mutationFn: () => parseResponse(api.resume.$post()),
  });
  const state = stateOf(status);
  if (state === 'ok') return null;
  const { service, pausedUntil, updates } = status;
  const { title, color } = texts[state];
  return (
    <Alert color={color} title={title} mb="md" role="alert">
      {service.message} {plural(updates.queued, 'update')} {updates.queued === 1 ? 'waits' : 'wait'}, and
      sending continues by itself.
      <Group mt="xs" gap="sm">
        {service.nextProbeAt && (
          <Countdown key={service.nextProbeAt} label="Next probe" until={service.nextProbeAt} />
        )}
        {pausedUntil && <Countdown key={pausedUntil} label="Paused for" until={pausedUntil} />}
        {pausedUntil && (
          <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
            Resume now
          </Button>
        )}
      </Group>
      <ErrorAlert error={resume.error} />
    </Alert>
  );
}

/** Counts the seconds down; not announced, or a screen reader would say each. */
function Countdown({ label, until }: { readonly label: string; readonly until: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  return (
    <span aria-live="off">
      {label}: {seconds} s
    </span>
  );
}
