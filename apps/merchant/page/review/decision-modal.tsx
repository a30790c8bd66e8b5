import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { UpdateView } from '../../shared/api.ts';
import { api, describeError, parseResponse, queryClient } from '../api.ts';

export type Decision = 'resolve' | 'retry' | 'discard';

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

export interface DecisionModalProps {
  readonly update: UpdateView;
  readonly state: keyof typeof consequences;
  readonly decision: Decision;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Says what a decision about an update leads to, and takes it. */
export function DecisionModal({ update, state, decision, label, isOpen, onClose }: DecisionModalProps) {
  const { id, token } = update;
  const [note, setNote] = useState('');
  const decide = useMutation({
    mutationFn: () =>
      parseResponse(api.updates[':id'][decision].$post({ param: { id }, json: note ? { note } : {} })),
    onSuccess: () => notifications.show({ color: 'green', message: `Decided: ${label}` }),
    onError: (error) => notifications.show({ color: 'red', message: describeError(error).message }),
    onSettled: async () => {
      onClose();
      const changed = [['order', token], ['updates'], ['orders'], ['status']];
      await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={label}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // React passes it on to the form of the editor, although the dialog is not in it, and that would send an update.
          event.stopPropagation();
          decide.mutate();
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
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={decide.isPending} color={decision === 'discard' ? 'red' : ''}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
