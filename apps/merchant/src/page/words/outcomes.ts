import type { Outcome } from '../../contract/update-report.ts';
import type { UpdateState } from '../../contract/update-view.ts';

interface StateWords {
  readonly title: string;
  /** What it means, and what to do about it. */
  readonly text: string;
}

/** How an update stands, in a word and in a sentence. */
export const outcomeWords = {
  queued: { title: 'Queued', text: 'The desk has it and sends it next.' },
  sending: { title: 'Sending', text: 'Waiting for the answer of the order service.' },
  applied: { title: 'Applied', text: 'The order service took this update.' },
  rejected: {
    title: 'Rejected',
    text: 'The order service said that it did not take this update. The order is as it was.',
  },
  not_sent: { title: 'Not sent', text: 'Nothing reached the order service. You can send it again.' },
  unknown: {
    title: 'Unknown',
    text: 'We do not know whether the order service took it. Look at the order there before you send it again.',
  },
} as const satisfies Record<UpdateState, StateWords>;

/** What an outcome means, where there is room for a line. */
export const outcomeLines = {
  applied: 'The order service took this update.',
  rejected: 'The order service did not take it. The order is as it was.',
  not_sent: 'Nothing reached the order service.',
  unknown: 'We do not know whether the order service took it.',
} as const satisfies Record<Outcome, string>;

/** What is said of an update that was applied, but whose answer is of no use. */
export const appliedUnread = 'The order service took it, but its answer could not be read.';
