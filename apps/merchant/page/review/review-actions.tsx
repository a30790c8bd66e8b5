import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { UpdateView } from '../../shared/api.ts';
import { useLazyOverlay } from '../use-lazy-overlay.ts';
import type { Decision } from './decision-modal.tsx';

const labels: Readonly<Record<Decision, string>> = {
  resolve: 'It was applied',
  retry: 'Send again',
  discard: 'Discard',
};

/** The decisions about an update whose outcome is unknown, or which was rejected. */
export function ReviewActions({ update }: { readonly update: UpdateView }) {
  const { state } = update;
  const [decision, setDecision] = useState<Decision>('resolve');
  const modal = useLazyOverlay(async () => (await import('./decision-modal.tsx')).DecisionModal);
  if (state !== 'needs_review' && state !== 'rejected') return null;
  const decisions: readonly Decision[] =
    state === 'rejected' ? ['retry', 'discard'] : ['resolve', 'retry', 'discard'];
  return (
    <>
      <Group gap="xs" mt={4}>
        {decisions.map((decided) => (
          <Button
            key={decided}
            size="xs"
            variant="default"
            onClick={() => {
              setDecision(decided);
              modal.open();
            }}
          >
            {labels[decided]}
          </Button>
        ))}
      </Group>
      {modal.Overlay && (
        <modal.Overlay
          update={update}
          state={state}
          decision={decision}
          label={labels[decision]}
          isOpen={modal.isOpen}
          onClose={() => modal.setOpen(false)}
        />
      )}
    </>
  );
}
