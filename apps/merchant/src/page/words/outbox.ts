import type { WaitingUpdate } from '../../contract/outbox-view.ts';
import { plural } from './plural.ts';

/** What the view of the outbox says. */
export const outboxWords = {
  title: 'Outbox',
  help: 'Updates wait here until the order service has answered. Those of one order leave one after another.',
  loading: 'Loading the outbox',
  counts: {
    label: 'How many there are',
    queued: { name: 'Queued', text: 'Wait for their turn' },
    sending: { name: 'Sending', text: 'Wait for an answer' },
    needsReview: { name: 'Needs review', text: 'Outcome unknown' },
    rejected: { name: 'Rejected', text: 'Not applied' },
  },
  flows: 'Updates leave as soon as it is their turn.',
  stopped: {
    service_unavailable: 'The order service is unavailable: updates wait until it responds again.',
    key_refused: 'The order service rejects the API key: updates wait until it accepts it.',
  },
  paused: (time: string) => `The order service asked to wait: nothing leaves before ${time}.`,
  queue: {
    title: 'On their way',
    none: { title: 'Nothing is queued', text: 'Every update that was accepted has left.' },
    since: (time: string) => `since ${time}`,
    attempts: (count: number) => plural(count, 'attempt', 'attempts'),
    more: (count: number) => `and ${plural(count, 'more update', 'more updates')} behind these`,
    waitsFor: {
      answer: 'Waits for the answer',
      attempt: 'Waits for its next attempt',
      decision: 'Waits for your choice about an earlier update of its order',
      earlier: 'Waits for an earlier update of its order',
      turn: 'Leaves next',
    } satisfies Record<WaitingUpdate['waitsFor'], string>,
    last: (end: string) => `last: ${end}`,
  },
  decide: {
    title: 'Waiting for you',
    none: {
      title: 'Nothing waits for you',
      text: 'Updates that need review or were rejected are listed here until you send them again or discard them.',
    },
    needsReview: 'Needs review: its outcome is unknown, and its order waits',
    rejected: 'Rejected: later updates of its order were sent',
  },
  failed: {
    title: 'The outbox could not be loaded',
    text: 'The desk’s own server did not answer, or does not send through an outbox any more. Reload the page to see.',
  },
} as const;
