import './activity.css';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import type { OrderView } from '../../contract/order-view.ts';
import type { Decision, UpdateView } from '../../contract/update-view.ts';
import { postDecision } from '../api/orders.ts';
import { DeskProblem } from '../api/request.ts';
import { Icon } from '../icon.tsx';
import { noteUpdate } from '../live/fold-order.ts';
import { activityWords } from '../words/activity.ts';

/** The two ways on for an update that waits for a person, each with what it may bring. */
export function DecisionBox({ update }: { readonly update: UpdateView }) {
  const client = useQueryClient();
  const titleId = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (decision: Decision) => postDecision(update, decision),
    onSuccess: (decided) => {
      client.setQueryData<OrderView>(
        ['order', update.token],
        (before) => before && noteUpdate(before, decided),
      );
      return client.invalidateQueries({ queryKey: ['undecided'] });
    },
  });
  const choose = (decision: Decision) => isPending || mutate(decision);
  const { title, again, discard } = activityWords.decide;
  const { text, againText, discardText } = wordsFor(update);
  return (
    <fieldset className="decision" data-state={update.state} aria-labelledby={titleId}>
      <h3 className="decision-title" id={titleId}>
        <Icon name="question" size={14} /> {title}
      </h3>
      <p>{text}</p>
      <div className="decision-choice">
        <Button
          size="xs"
          variant="default"
          aria-disabled={isPending || undefined}
          leftSection={<Icon name="repeat" size={14} />}
          onClick={() => choose('sent_again')}
        >
          {again}
        </Button>
        <p>{againText}</p>
      </div>
      <div className="decision-choice">
        <Button
          size="xs"
          variant="default"
          aria-disabled={isPending || undefined}
          leftSection={<Icon name="trash" size={14} />}
          onClick={() => choose('discarded')}
        >
          {discard}
        </Button>
        <p>{discardText}</p>
      </div>
      <p className="decision-problem" role="status">
        {error && tellProblem(error)}
      </p>
    </fieldset>
  );
}

function wordsFor({ state, sentThrough }: UpdateView) {
  const { client, needsReview, rejected } = activityWords.decide;
  if (sentThrough === 'client') return client;
  return state === 'unknown' ? needsReview : rejected;
}

function tellProblem(error: Error): string {
  const isGone = error instanceof DeskProblem && error.status === 409;
  return isGone ? activityWords.decide.gone : activityWords.decide.failed;
}
