import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { UpdateView } from '../../shared/api.ts';
import { api, describeError, parseResponse, queryClient } from '../api.ts';

type Decision = 'resolve' | 'retry' | 'discard';

const labels: Readonly<Record<Decision, string>> = {
  resolve: 'It was applied',
  retry: 'Send again',
  discard: 'Discard',
};

const consequences = {
  needs_review: {
    resolve:
      'You found this update at the order service. It counts as applied, and later updates of the order are sent.',
    retry:
      'The same update is sent again, before later updates of the order. If it was applied the first time, it is applied twice.',
    discard:
      'It is not sent again. What the service may have applied stays. Later updates of the order are sent.',
  },
  rejected: {
    resolve: '',
    retry: 'It was not applied. The same update is queued again, behind later updates of the order.',
    discard: 'It was not applied, and will not be sent again.',
  },
};

/** The decisions about an update whose outcome is unknown, or which was rejected. */
export function ReviewActions({ update: { id, token, state } }: { readonly update: UpdateView }) {
  const [decision, setDecision] = useState<Decision>();
  const [note, setNote] = useState('');
  const decide = useMutation({
    mutationFn: (decided: Decision) =>
      parseResponse(api.updates[':id'][decided].$post({ param: { id }, json: note ? { note } : {} })),
    onSuccess: (_, decided) => notifications.show({ color: 'green', message: `Decided: ${labels[decided]}` }),
    onError: (error) => notifications.show({ color: 'red', message: describeError(error).message }),
    onSettled: async () => {
      setDecision(undefined);
      const changed = [['order', token], ['updates'], ['orders'], ['status']];
      await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  if (state !== 'needs_review' && state !== 'rejected') return null;
  const decisions: readonly Decision[] =
    state === 'rejected' ? ['retry', 'discard'] : ['resolve', 'retry', 'discard'];
  return (
    <>
      <Group gap="xs" mt={4}>
        {decisions.map((decided) => (
          <Button key={decided} size="xs" variant="default" onClick={() => setDecision(decided)}>
            {labels[decided]}
          </Button>
        ))}
      </Group>
      <Modal
        opened={decision !== undefined}
        onClose={() => setDecision(undefined)}
        title={decision && labels[decision]}
      >
        {decision && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              decide.mutate(decision);
            }}
          >
            <Stack>
              <Text size="sm">{consequences[state][decision]}</Text>
              <Textarea
                label="Note"
                description="Kept with the update, for your colleagues"
                maxLength={1000}
                value={note}
                onChange={(event) => setNote(event.currentTarget.value)}
              />
              <Group justify="flex-end">
                <Button variant="default" onClick={() => setDecision(undefined)}>
                  Cancel
                </Button>
                <Button type="submit" loading={decide.isPending} color={decision === 'discard' ? 'red' : ''}>
                  {labels[decision]}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Modal>
    </>
  );
}
