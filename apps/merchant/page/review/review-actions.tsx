import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, parseResponse, queryClient, type UpdateView } from '../api.ts';
import { ErrorAlert } from '../errors.tsx';

/** What can be decided, and what it leads to, by the state of the update. */
const decisions = {
  needs_review: {
    resolve:
      'You found this update at the order service. It counts as applied, and later updates of the order are sent.',
    retry:
      'The same update is sent again, before later updates of the order. If it was applied the first time, it is applied twice.',
    discard:
      'It is not sent again itself, but a later update, such as that of a QR payment, may repeat what it holds. What the service may have applied stays. Later updates of the order are sent.',
  },
  rejected: {
    retry: 'It was not applied. The same update is queued again, behind later updates of the order.',
    discard: 'It was not applied, and will not be sent again.',
  },
} as const;

const labels = { resolve: 'It was applied', retry: 'Send again', discard: 'Discard' };
type Decision = keyof typeof labels;

interface ReviewActionsProps {
  readonly update: UpdateView;
  /** What gets the focus after a decision, whose buttons are gone then. */
  readonly focusId: string;
}

/** The decisions about an update whose outcome is unknown, or which was rejected; each is confirmed. */
export function ReviewActions({ update: { id, state, settledAt = '' }, focusId }: ReviewActionsProps) {
  /** The decision to be confirmed, about the update as it was when it was chosen. */
  const [chosen, setChosen] = useState<{ readonly decision: Decision; readonly settledAt: string }>();
  const decision = chosen?.decision;
  const root = useRef<HTMLDivElement>(null);
  const [note, setNote] = useState('');
  const decide = useMutation({
    mutationFn({ decision, settledAt }: NonNullable<typeof chosen>) {
      const json = { settledAt, ...(note && { note }) };
      return parseResponse(api.updates[':id'][decision].$post({ param: { id }, json }));
    },
    onSuccess() {
      setChosen(undefined);
      setNote('');
      document.getElementById(focusId)?.focus();
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (state !== 'needs_review' && state !== 'rejected') return null;
  const consequences: Readonly<Partial<Record<Decision, string>>> = decisions[state];
  return (
    <Stack ref={root} gap="xs" mt="xs">
      <Group gap={6}>
        {(Object.keys(consequences) as Decision[]).map((choice) => (
          <Button
            key={choice}
            size="xs"
            px="xs"
            variant={choice === decision ? 'light' : 'default'}
            aria-expanded={choice === decision}
            onClick={() => {
              decide.reset();
              setChosen(choice === decision ? undefined : { decision: choice, settledAt });
            }}
          >
            {labels[choice]}
          </Button>
        ))}
      </Group>
      {chosen && (
        <Paper withBorder p="sm" role="group" aria-label={labels[chosen.decision]}>
          <Stack gap="xs">
            <Text size="sm">{consequences[chosen.decision]}</Text>
            <Textarea
              label="Note"
              description="Kept with the update, for your colleagues"
              maxLength={1000}
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
            <ErrorAlert error={decide.error} />
            <Group justify="flex-end" gap="xs">
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  root.current?.querySelector<HTMLElement>('[aria-expanded=true]')?.focus();
                  setChosen(undefined);
                }}
              >
                Cancel
              </Button>
              <Button
                size="xs"
                loading={decide.isPending}
                color={decision === 'discard' ? 'red' : ''}
                onClick={() => decide.mutate(chosen)}
              >
                Confirm
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
    </Stack>
  );
}
